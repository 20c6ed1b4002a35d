// For tests: fills every field of a described struct with a different value.
#pragma once

#include <string>
#include <utility>

#include "harness/base/enum_text.h"
#include "harness/result/describe.h"

namespace tailgate {

// Gives every field, at any depth, a different value; lists get two elements.
class Filler {
 public:
  template <class T>
  void fill(T& value) {
    if constexpr (Described<T>) {
      void* const outer = std::exchange(object_, &value);
      T::describe(*this);
      object_ = outer;
    } else if constexpr (IsVector<T>::value) {
      value.resize(2);
      for (auto& element : value) fill(element);
    } else if constexpr (IsOptional<T>::value) {
      fill(value.emplace());
    } else if constexpr (std::same_as<T, std::string>) {
      value = "text " + std::to_string(++next_);
    } else if constexpr (std::same_as<T, bool>) {
      value = true;
    } else if constexpr (std::same_as<T, double>) {
      value = ++next_ + 0.25;
    } else if constexpr (TextEnum<T>) {
      value = static_cast<T>(static_cast<std::size_t>(++next_) % kEnumTexts<T>.size());
    } else {
      value = static_cast<T>(++next_);
    }
  }

  template <class Struct, class Field>
  void operator()(const char*, Field Struct::*member, const char*, int = 1) {
    Struct& object = *static_cast<Struct*>(object_);
    fill(object.*member);
    object_ = &object;
  }

 private:
  void* object_ = nullptr;
  int next_ = 0;
};

}  // namespace tailgate
