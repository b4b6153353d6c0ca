// SPDX-License-Identifier: GPL-2.0-only
// Ownership of objects that a C library frees by a function.
#pragma once

#include <memory>

namespace xdpcost {

template <auto Free>
struct FreeWith {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};

// Handle<bpf_link, bpf_link__destroy> link(bpf_program__attach(...));
template <class T, auto Free>
using Handle = std::unique_ptr<T, FreeWith<Free>>;

}  // namespace xdpcost
