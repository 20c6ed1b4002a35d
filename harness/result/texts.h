// Visits every text of a described struct, at any depth.
#pragma once

#include <string>
#include <utility>

#include "harness/result/describe.h"

namespace tailgate {

// Calls `visit(name, text)` for each field that is a text, or a list of texts; name is the field's.
template <class Visit>
class TextVisitor {
 public:
  explicit TextVisitor(Visit visit) : visit_(std::move(visit)) {}

  template <class T>
  void walk(const char* name, T& value) {
    if constexpr (std::same_as<T, std::string>) {
      visit_(name, value);
    } else if constexpr (Described<T>) {
      void* const outer = std::exchange(object_, &value);
      T::describe(*this);
      object_ = outer;
    } else if constexpr (IsVector<T>::value) {
      if constexpr (!std::is_arithmetic_v<typename T::value_type>) {
        for (auto& element : value) walk(name, element);
      }
    } else if constexpr (IsOptional<T>::value) {
      if (value) walk(name, *value);
    }
  }

  template <class Struct, class Field>
  void operator()(const char* name, Field Struct::*member, const char*, int = 1) {
    walk(name, static_cast<Struct*>(object_)->*member);
  }

 private:
  Visit visit_;
  void* object_ = nullptr;
};

template <Described T, class Visit>
void visit_texts(T& value, Visit visit) {
  TextVisitor<Visit>(std::move(visit)).walk("", value);
}

}  // namespace tailgate
