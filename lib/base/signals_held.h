// SPDX-License-Identifier: GPL-2.0-only
// Work that no signal may come into.
#pragma once

#include <csignal>

namespace xdpcost {

// Holds every signal of the calling thread back as long as it lives; they arrive behind it.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  ~SignalsHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_ = {};
};

}  // namespace xdpcost
