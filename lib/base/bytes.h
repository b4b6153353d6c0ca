// SPDX-License-Identifier: GPL-2.0-only
// Bounds-checked reading, and appending, of structures in host byte order at any alignment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace xdpcost {

using ByteSpan = std::span<const std::byte>;

// Reads T at a byte offset, or nothing where it does not fit.
template <class T>
std::optional<T> load(ByteSpan bytes, std::size_t offset) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

// Appends little pieces to a buffer; used to build records, attributes and netlink messages.
class ByteBuffer {
 public:
  template <class T>
  ByteBuffer& put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
    return *this;
  }
  ByteBuffer& put_bytes(std::string_view bytes) {
    bytes_.append(bytes);
    return *this;
  }
  // The string and its terminating zero.
  ByteBuffer& put_c_string(std::string_view text) {
    bytes_.append(text);
    bytes_.push_back('\0');
    return *this;
  }
  ByteBuffer& put_zeros(std::size_t count) {
    bytes_.append(count, '\0');
    return *this;
  }
  // Zero bytes up to the next multiple of `alignment` (a power of two).
  ByteBuffer& align(std::size_t alignment) {
    return put_zeros((alignment - bytes_.size() % alignment) % alignment);
  }
  // Overwrites sizeof(T) bytes that were put before.
  template <class T>
  void patch(std::size_t offset, const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(bytes_.data() + offset, &value, sizeof(T));
  }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] const std::string& str() const { return bytes_; }
  [[nodiscard]] std::string take() { return std::move(bytes_); }
  void clear() { bytes_.clear(); }

 private:
  std::string bytes_;
};

}  // namespace xdpcost
