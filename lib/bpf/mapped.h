// SPDX-License-Identifier: GPL-2.0-only
// A data section of a BPF object, mapped so that user space and program share it.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <utility>

#include "base/result.h"

namespace xdpcost::bpf {

// Maps the whole value of a mmapable array map with one entry.
class Mapped {
 public:
  Mapped() = default;
  static Result<Mapped> map(int map_fd, std::size_t size_bytes);
  Mapped(Mapped&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Mapped& operator=(Mapped&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  ~Mapped() {
    if (data_ != nullptr) ::munmap(data_, size_);
  }

  explicit operator bool() const { return data_ != nullptr; }

  // The section as T; the caller knows its layout from bpf/shared.h.
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  Mapped(void* data, std::size_t size) : data_(data), size_(size) {}
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace xdpcost::bpf
