// Unaligned little-endian loads and a bounds-checked cursor. Every byte of a trace is untrusted and
// its offsets are often odd, so this code reads nothing through a struct pointer.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

namespace tailgate::etl {

static_assert(std::endian::native == std::endian::little,
              "ETW traces are little endian; a big-endian host needs byte swaps in load()");

using Bytes = std::span<const std::uint8_t>;

// Loads the little-endian value of type T at `at`, which need not be aligned.
template <typename T>
inline T load(const std::uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// The smallest multiple of 8 that is not below value. The caller has bounded value well below 2^64.
constexpr std::uint64_t align8(std::uint64_t value) {
  return (value + 7) & ~std::uint64_t{7};
}

// Reads values from the front of a byte range. When the range is too short, a take_* returns
// nothing and consumes nothing.
class ByteCursor {
 public:
  explicit ByteCursor(Bytes bytes) : bytes_(bytes) {}

  std::size_t position() const { return position_; }
  std::size_t left() const { return bytes_.size() - position_; }
  Bytes rest() const { return bytes_.subspan(position_); }

  template <typename T>
  std::optional<T> take() {
    if (left() < sizeof(T)) return std::nullopt;
    T value = load<T>(bytes_.data() + position_);
    position_ += sizeof(T);
    return value;
  }

  std::optional<Bytes> take_bytes(std::size_t count) {
    if (left() < count) return std::nullopt;
    Bytes taken = bytes_.subspan(position_, count);
    position_ += count;
    return taken;
  }

  // Takes 8-bit characters up to a NUL, which is consumed but not returned. The end of the range
  // also ends the string (ETW drops the NUL of a string that was cut).
  Bytes take_string8() {
    Bytes all = rest();
    std::size_t length = 0;
    while (length < all.size() && all[length] != 0) ++length;
    position_ += length < all.size() ? length + 1 : length;
    return all.first(length);
  }

  // The same for 16-bit characters; the result has an even number of bytes. A single odd byte at
  // the end of the range is consumed and dropped.
  Bytes take_string16() {
    Bytes all = rest();
    std::size_t length = 0;
    while (length + 1 < all.size() && (all[length] | all[length + 1]) != 0) length += 2;
    position_ += length + 1 < all.size() ? length + 2 : all.size();
    return all.first(length);
  }

 private:
  Bytes bytes_;
  std::size_t position_ = 0;
};

}  // namespace tailgate::etl
