// Shared by the generic visitors of the result structs: concepts for the kinds of fields, and the
// path of a field in a result.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tailgate {

// A visitor that does nothing; Described uses it to detect a `describe` function.
struct IdleVisitor {
  template <class Struct, class Field>
  void operator()(const char*, Field Struct::*, const char*, int = 1) {}
};

// A struct that lists its fields in a static `describe`.
template <class T>
concept Described = requires(IdleVisitor visitor) {
  T::describe(visitor);
};

template <class T>
struct IsVector : std::false_type {};
template <class Element>
struct IsVector<std::vector<Element>> : std::true_type {};

template <class T>
struct IsOptional : std::false_type {};
template <class Value>
struct IsOptional<std::optional<Value>> : std::true_type {};

template <class T>
concept WholeNumber = std::integral<T> && !std::same_as<T, bool>;

// The path of a field in a result, as a linked list from the field to the root; its nodes live on
// the visitor's stack. text() writes it like jq, "trials[3].load.rate_hz".
class ResultPath {
 public:
  ResultPath() = default;  // the root
  ResultPath(const ResultPath& parent, std::string_view field) : parent_(&parent), field_(field) {}
  ResultPath(const ResultPath& parent, std::size_t index) : parent_(&parent), index_(index) {}

  std::string text() const {
    if (parent_ == nullptr) return "";
    const std::string before = parent_->text();
    if (field_.empty()) return before + "[" + std::to_string(index_) + "]";
    return before.empty() ? std::string(field_) : before + "." + std::string(field_);
  }

 private:
  const ResultPath* parent_ = nullptr;
  std::string_view field_;
  std::size_t index_ = 0;
};

}  // namespace tailgate
