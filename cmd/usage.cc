// SPDX-License-Identifier: GPL-2.0-only
#include "usage.h"

#include <bpf/libbpf.h>
#include <fmt/format.h>

#include "probes.h"

namespace xdpcost::cmd {

void print_usage(std::FILE* out, const char* program, std::span<const Command> commands) {
  fmt::print(out,
             "usage: {} [--version] [--help] COMMAND [ARGUMENTS]\n\n"
             "Measures what one BPF call adds to the cost of a packet.\n\n"
             "Commands:\n",
             program);
  for (const Command& command : commands)
    fmt::print(out, "  {:<9} {}\n", command.name, command.summary);
  fmt::print(out,
             "\nOne honest number on the running kernel, as root:\n"
             "  {0} micro --pop 4094 | {0} report\n\n"
             "'{0} COMMAND -h' lists the options of a command, '{0} help COMMAND'\n"
             "shows its manual page.\n",
             program);
}

std::string version_text() {
  return fmt::format(
      "xdpcost {}\n"
      "libbpf {}.{}\n"
      "libperf of Linux {}\n"
      "libtraceevent {}\n"
      "features:{}\n",
      XDPCOST_VERSION, libbpf_major_version(), libbpf_minor_version(), XDPCOST_LIBPERF_VERSION,
      XDPCOST_TRACEEVENT_VERSION, feature_line(look_at_features()));
}

}  // namespace xdpcost::cmd
