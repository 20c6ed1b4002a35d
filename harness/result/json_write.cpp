#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/base/enum_text.h"
#include "harness/base/error.h"
#include "harness/result/calibration_file.h"
#include "harness/result/describe.h"
#include "harness/result/json.h"

namespace tailgate {
namespace {

constexpr std::size_t kLineColumns = 100;
constexpr std::size_t kIndent = 2;

std::string quote(const std::string& text) {
  using nlohmann::json;
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

// Writes items between brackets: on one line if they fit, else one per line.
std::string enclose(char open, const std::vector<std::string>& items, char close,
                    std::size_t depth) {
  std::size_t columns = depth * kIndent + 2;
  bool one_line = true;
  for (const std::string& item : items) {
    columns += item.size() + 2;
    one_line = one_line && item.find('\n') == std::string::npos;
  }
  one_line = one_line && columns <= kLineColumns;
  const std::string indent((depth + 1) * kIndent, ' ');
  std::string text(1, open);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += one_line ? ", " : ",";
    if (!one_line) text += "\n" + indent;
    text += items[i];
  }
  if (!one_line) text += "\n" + std::string(depth * kIndent, ' ');
  return text + close;
}

template <class T>
std::string render(const T& value, const ResultPath& path, std::size_t depth);

template <class Struct>
class FieldWriter {
 public:
  FieldWriter(const Struct& object, const ResultPath& path, std::size_t depth)
      : object_(object), path_(path), depth_(depth) {}

  template <class Field>
  void operator()(const char* name, Field Struct::*member, const char*, int = 1) {
    const Field& value = object_.*member;
    const ResultPath path(path_, name);
    if constexpr (IsOptional<Field>::value) {
      if (value) add(name, render(*value, path, depth_ + 1));
    } else {
      add(name, render(value, path, depth_ + 1));
    }
  }

  std::string text() const { return enclose('{', items_, '}', depth_); }

 private:
  void add(const char* name, const std::string& value) {
    items_.push_back("\"" + std::string(name) + "\": " + value);
  }

  const Struct& object_;
  const ResultPath& path_;
  std::size_t depth_;
  std::vector<std::string> items_;
};

std::string render_double(double value, const ResultPath& path) {
  if (!std::isfinite(value)) {
    throw Error(fmt::format("{} = {} cannot be written: a result contains finite numbers only",
                            path.text(), value),
                "report this as a defect of tailgate, with the command");
  }
  std::array<char, 32> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return std::string(digits.data(), end);
}

template <class T>
std::string render(const T& value, const ResultPath& path, std::size_t depth) {
  if constexpr (Described<T>) {
    FieldWriter<T> writer(value, path, depth);
    T::describe(writer);
    return writer.text();
  } else if constexpr (IsVector<T>::value) {
    std::vector<std::string> items;
    items.reserve(value.size());
    for (std::size_t i = 0; i < value.size(); ++i) {
      items.push_back(render(value[i], ResultPath(path, i), depth + 1));
    }
    return enclose('[', items, ']', depth);
  } else if constexpr (std::same_as<T, std::string>) {
    return quote(value);
  } else if constexpr (std::same_as<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::same_as<T, double>) {
    return render_double(value, path);
  } else if constexpr (TextEnum<T>) {
    return quote(std::string(enum_text(value)));
  } else {
    static_assert(WholeNumber<T>, "a field of a kind that results do not have");
    return std::to_string(value);
  }
}

}  // namespace

std::string write_result(const Result& result) {
  return render(result, ResultPath(), 0) + "\n";
}

std::string write_duet(const Duet& duet) {
  return render(duet, ResultPath(), 0) + "\n";
}

std::string write_calibration(const Calibration& calibration) {
  return render(to_file(calibration), ResultPath(), 0) + "\n";
}

std::string write_verdict(const Verdict& verdict) {
  return render(verdict, ResultPath(), 0) + "\n";
}

}  // namespace tailgate
