// The text of an enum's values, in one table beside the enum:
//
//   enum class Side { left, right };
//   template <>
//   inline constexpr auto kEnumTexts<Side> =
//       enum_texts<Side>({{Side::left, "left"}, {Side::right, "right"}});
//
// Files, options and messages use these texts. A table that omits a value, or does not follow the
// order of the values, does not compile. A result struct may have such an enum as a field: the
// writer writes its text, and the reader refuses any other text.
#pragma once

#include <array>
#include <cstddef>
#include <iosfwd>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tailgate {

// The table of an enum, built by enum_texts(). An enum without a specialisation has no texts.
template <class Enum>
inline constexpr auto kEnumTexts = nullptr;

template <class T>
concept TextEnum =
    std::is_enum_v<T> && !std::is_same_v<decltype(kEnumTexts<T>), const std::nullptr_t>;

template <class Enum>
struct EnumText {
  Enum value;
  std::string_view text;
};

// Whether a value is one of the enum's enumerators. Compilers print any other value as a cast.
template <auto kValue>
consteval bool is_enumerator() {
#if defined(__GNUC__)
  return std::string_view(__PRETTY_FUNCTION__).find("kValue = (") == std::string_view::npos;
#else
  return false;  // unknown, so a table without the last values is not detected
#endif
}

// Builds the table from its lines, which must list all values from 0 on in order, each with a
// different text. Anything else does not compile.
template <class Enum, std::size_t kCount>
consteval std::array<std::string_view, kCount> enum_texts(const EnumText<Enum> (&lines)[kCount]) {
  static_assert(!is_enumerator<static_cast<Enum>(kCount)>(), "an enum's value has no text");
  std::array<std::string_view, kCount> texts;
  for (std::size_t i = 0; i < kCount; ++i) {
    if (static_cast<std::size_t>(lines[i].value) != i) throw "not in the order of the values";
    for (std::size_t j = 0; j < i; ++j) {
      if (texts[j] == lines[i].text) throw "two values have the same text";
    }
    texts[i] = lines[i].text;
  }
  return texts;
}

template <TextEnum Enum>
constexpr std::string_view enum_text(Enum value) {
  const auto index = static_cast<std::size_t>(value);
  if (index >= kEnumTexts<Enum>.size()) throw std::logic_error("not a value of this enum");
  return kEnumTexts<Enum>[index];
}

// Returns the value that has this text; nothing if no value has it.
template <TextEnum Enum>
constexpr std::optional<Enum> enum_value(std::string_view text) {
  for (std::size_t i = 0; i < kEnumTexts<Enum>.size(); ++i) {
    if (kEnumTexts<Enum>[i] == text) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

// Prints the text of a value, for messages of tests.
template <TextEnum Enum>
std::ostream& operator<<(std::ostream& out, Enum value) {
  return out << enum_text(value);
}

// Returns all texts in the order of the values, for option tables and errors.
template <TextEnum Enum>
std::vector<std::string> enum_choices() {
  return {kEnumTexts<Enum>.begin(), kEnumTexts<Enum>.end()};
}

}  // namespace tailgate
