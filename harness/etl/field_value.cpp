#include "harness/etl/field_value.h"

namespace tailgate::etl {

std::optional<std::int64_t> Number::as_signed() const {
  constexpr std::uint64_t kTop = std::uint64_t{1} << 63;
  if (is_real_ || magnitude_ > kTop || (magnitude_ == kTop && !negative_)) return std::nullopt;
  return static_cast<std::int64_t>(negative_ ? 0 - magnitude_ : magnitude_);
}

std::partial_ordering operator<=>(const Number& a, const Number& b) {
  if (a.is_real_ || b.is_real_) return a.real() <=> b.real();
  if (a.negative_ != b.negative_) {
    return a.negative_ ? std::partial_ordering::less : std::partial_ordering::greater;
  }
  return a.negative_ ? b.magnitude_ <=> a.magnitude_ : a.magnitude_ <=> b.magnitude_;
}

std::optional<Number> number_of(const Field& field) {
  switch (field.type) {
    case ValueType::f32:
      return Number::of_real(static_cast<double>(load<float>(field.data.data())));
    case ValueType::f64:
      return Number::of_real(load<double>(field.data.data()));
    case ValueType::bool8:
    case ValueType::bool32:
      if (field.map != nullptr) return Number::of_unsigned(unsigned_value(field.data));
      return Number::of_unsigned(unsigned_value(field.data) != 0 ? 1 : 0);
    default:
      break;
  }
  if (!is_integer(field.type)) return std::nullopt;
  switch (field.format) {
    case ValueFormat::string:
    case ValueFormat::filetime:
    case ValueFormat::ipv4:
      return std::nullopt;
    case ValueFormat::port:
      if (field.data.size() != 2) break;
      return Number::of_unsigned(static_cast<std::uint64_t>(field.data[0] << 8 | field.data[1]));
    default:
      break;
  }
  const bool with_sign = field.format == ValueFormat::as_signed ||
                         (is_signed(field.type) && field.format != ValueFormat::as_unsigned);
  return with_sign ? Number::of_signed(signed_value(field.data))
                   : Number::of_unsigned(unsigned_value(field.data));
}

}  // namespace tailgate::etl
