// SPDX-License-Identifier: GPL-2.0-only
#include "bpf/mapped.h"

#include <cerrno>

namespace xdpcost::bpf {

Result<Mapped> Mapped::map(int map_fd, std::size_t size_bytes) {
  void* data = ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);
  if (data == MAP_FAILED) return fail_errno(errno, "cannot map a BPF data section");
  return Mapped(data, size_bytes);
}

}  // namespace xdpcost::bpf
