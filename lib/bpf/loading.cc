// SPDX-License-Identifier: GPL-2.0-only
#include "bpf/loading.h"

#include <bpf/libbpf.h>

#include <cerrno>
#include <csignal>
#include <utility>

namespace xdpcost::bpf {
namespace {

// Never meant for user space, but bpf(2) returns it where the kernel's configuration or the
// settings of its JIT leave out what a program needs.
constexpr int kKernelEnotsupp = 524;

class SignalsHeldOff {
 public:
  SignalsHeldOff() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsHeldOff(const SignalsHeldOff&) = delete;
  SignalsHeldOff& operator=(const SignalsHeldOff&) = delete;
  ~SignalsHeldOff() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_ = {};
};

}  // namespace

int load_undisturbed(bpf_object* object) {
  const SignalsHeldOff held_off;
  return bpf_object__load(object);
}

Failure load_failure(int err, const std::string& program) {
  const std::string what = "cannot load program '" + program + "'";
  std::string hint = "-v shows the end of what the verifier says";
  if (err == kKernelEnotsupp) {
    return Failure(Error{ErrorKind::unsupported, err,
                         what + ": not supported by this kernel's configuration (ENOTSUPP)",
                         "set net.core.bpf_jit_enable to 1: kernel functions and some instructions "
                         "need the JIT; " +
                             hint});
  }
  if (err == EPERM || err == EACCES)
    hint = "run as root, or with CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON; " + hint;
  return fail_errno(err, what, std::move(hint));
}

}  // namespace xdpcost::bpf
