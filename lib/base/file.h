// SPDX-License-Identifier: GPL-2.0-only
// Whole-file reading and writing, made for small files such as those of procfs and sysfs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace xdpcost {

// Opens `path` with O_CLOEXEC added to `flags`; a file that it makes gets `mode`, less the umask.
// Error: system, with the errno of open(2).
Result<Fd> open_file(const std::string& path, int flags, unsigned mode = 0);

// The whole content of a file. Reads to its end, since procfs and sysfs files have no size.
// Error: system; bad_data for a file of more than `max_bytes`.
Result<std::string> read_file(const std::string& path, std::size_t max_bytes = 1u << 20);

// The first line of a file of at most 64 KiB without the blanks at its ends: the value of a sysfs
// or procfs file that holds one.
Result<std::string> read_first_line(const std::string& path);

// The names in a directory but "." and "..", sorted. Error: system.
Result<std::vector<std::string>> list_folder(const std::string& path);

// Writes `text` to a file that exists, in one write(2), as sysctls and sysfs attributes demand.
// Error: system, with the errno of open(2) or write(2).
Result<> write_existing_file(const std::string& path, std::string_view text);

// Writes everything, going on after signals and short writes, and waiting where `fd` is
// non-blocking and full. Error: system, with the errno of write(2); EPIPE: the reader went away.
Result<> write_all(int fd, std::string_view bytes);

}  // namespace xdpcost
