// SPDX-License-Identifier: GPL-2.0-only
#include "bpf/loading.h"

#include <bpf/libbpf.h>

#include <csignal>

namespace xdpcost::bpf {
namespace {

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

}  // namespace xdpcost::bpf
