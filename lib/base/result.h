// SPDX-License-Identifier: GPL-2.0-only
// The one error type of xdpcost, and the two macros that propagate it.
#pragma once

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace xdpcost {

// What went wrong, as far as a caller may act on it. The exit status follows from it (cmd/main.cc).
enum class ErrorKind {
  usage,        // the command line asks for something that makes no sense
  system,       // the operating system refused or failed
  unsupported,  // this kernel or machine lacks a feature
  bad_data,     // a stream, file or kernel answer is not what it must be
};

// A failure. `what` is one line in lower case without a full stop that names the subject once, for
// example "cannot load program 'micro': Operation not permitted". `hint` is the cure where it is
// known, else empty. `err` is the errno behind it, else 0.
struct Error {
  ErrorKind kind = ErrorKind::system;
  int err = 0;
  std::string what;
  std::string hint;
};

template <class T = void>
using Result = tl::expected<T, Error>;

using Failure = tl::unexpected<Error>;

// A failure that has no errno: fail(ErrorKind::usage, "...", "...").
inline Failure fail(ErrorKind kind, std::string what, std::string hint = {}) {
  return Failure(Error{kind, 0, std::move(what), std::move(hint)});
}

// The kernel's own ENOTSUPP (include/linux/errno.h), which strerror() does not know. Never meant
// for user space, but bpf(2) returns it where the kernel's configuration or the settings of its JIT
// leave out what a program needs.
inline constexpr int kKernelEnotsupp = 524;

// A failed system call: "WHAT: strerror(err)". Take errno before anything else can change it.
inline Failure fail_errno(int err, std::string_view what, std::string hint = {}) {
  const char* why = err == kKernelEnotsupp
                        ? "not supported by this kernel's configuration (ENOTSUPP)"
                        : std::strerror(err);
  return Failure(Error{ErrorKind::system, err, std::string(what) + ": " + why, std::move(hint)});
}

// The same failure, of something that this kernel or machine lacks.
inline Failure as_unsupported(Failure failure) {
  failure.value().kind = ErrorKind::unsupported;
  return failure;
}

}  // namespace xdpcost

#define XDPCOST_CONCAT_(a, b) a##b
#define XDPCOST_CONCAT(a, b) XDPCOST_CONCAT_(a, b)

#define XDPCOST_TRY_(tmp, declaration, expression)           \
  auto tmp = (expression);                                   \
  if (!tmp) return ::tl::unexpected(std::move(tmp).error()); \
  declaration = std::move(*tmp)

// TRY(auto fd, open_file(path)); declares (or assigns) the value, or returns the error.
#define TRY(declaration, expression) \
  XDPCOST_TRY_(XDPCOST_CONCAT(try_result_, __LINE__), declaration, expression)

// CHECK(write_all(fd, bytes)); returns the error of a Result whose value is not needed.
#define CHECK(expression)                                       \
  do {                                                          \
    if (auto check_result = (expression); !check_result)        \
      return ::tl::unexpected(std::move(check_result).error()); \
  } while (false)
