// The numbers that values are.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <cstring>
#include <optional>

#include "harness/etl/bytes.h"
#include "harness/etl/payload.h"

namespace tailgate::etl {

// The integer in up to eight bytes.
inline std::uint64_t unsigned_value(Bytes data) {
  switch (data.size()) {
    case 1:
      return data[0];
    case 2:
      return load<std::uint16_t>(data.data());
    case 4:
      return load<std::uint32_t>(data.data());
    case 8:
      return load<std::uint64_t>(data.data());
    default:
      break;
  }
  std::uint64_t value = 0;
  std::memcpy(&value, data.data(), std::min(data.size(), sizeof value));
  return value;
}

inline std::int64_t signed_value(Bytes data) {
  switch (data.size()) {
    case 1:
      return load<std::int8_t>(data.data());
    case 2:
      return load<std::int16_t>(data.data());
    case 4:
      return load<std::int32_t>(data.data());
    default:
      return static_cast<std::int64_t>(unsigned_value(data));
  }
}

inline bool is_signed(ValueType type) {
  return type == ValueType::i8 || type == ValueType::i16 || type == ValueType::i32 ||
         type == ValueType::i64;
}

inline bool is_integer(ValueType type) {
  switch (type) {
    case ValueType::i8:
    case ValueType::u8:
    case ValueType::i16:
    case ValueType::u16:
    case ValueType::i32:
    case ValueType::u32:
    case ValueType::i64:
    case ValueType::u64:
    case ValueType::size:
    case ValueType::hex32:
    case ValueType::hex64:
    case ValueType::pointer:
      return true;
    default:
      return false;
  }
}

// An integer of 64 bits, signed or not, or a real number.
class Number {
 public:
  Number() = default;
  static Number of_unsigned(std::uint64_t value) { return {false, value, 0, false}; }
  static Number of_signed(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    return {value < 0, value < 0 ? 0 - bits : bits, 0, false};
  }
  static Number of_real(double value) { return {false, 0, value, true}; }

  bool is_real() const { return is_real_; }
  double real() const {
    if (is_real_) return real_;
    return negative_ ? -static_cast<double>(magnitude_) : static_cast<double>(magnitude_);
  }
  // Of an integer; nothing when it is above 2^63 - 1 or below -2^63.
  std::optional<std::int64_t> as_signed() const;

  // Two integers compare exactly, any other two as real numbers.
  friend std::partial_ordering operator<=>(const Number& a, const Number& b);
  friend bool operator==(const Number& a, const Number& b) {
    return (a <=> b) == std::partial_ordering::equivalent;
  }

 private:
  Number(bool negative, std::uint64_t magnitude, double real, bool is_real)
      : negative_(negative), is_real_(is_real), magnitude_(magnitude), real_(real) {}

  bool negative_ = false;  // and not zero
  bool is_real_ = false;
  std::uint64_t magnitude_ = 0;
  double real_ = 0;
};

// The number that a Field::Kind::value is, whatever names or notation show it: booleans are 0 and
// 1, ports are in the host's order. Nothing for text, times, GUIDs, addresses and bytes.
std::optional<Number> number_of(const Field& field);

}  // namespace tailgate::etl
