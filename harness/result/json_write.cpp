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

// Collects the fields of one object.
class ObjectWriter {
 public:
  ObjectWriter(const ResultPath& path, std::size_t depth) : path_(path), depth_(depth) {}

  // RenderField: the compiler writes one for each type, and this function once.
  using RenderField = std::string (*)(const void* field, const ResultPath& path, std::size_t depth);
  void field(const char* name, RenderField render_field, const void* value) {
    std::string text = render_field(value, ResultPath(path_, name), depth_ + 1);
    if (!text.empty()) items_.push_back("\"" + std::string(name) + "\": " + std::move(text));
  }

  std::string text() const { return enclose('{', items_, '}', depth_); }

 private:
  const ResultPath& path_;
  std::size_t depth_;
  std::vector<std::string> items_;
};

// Returns "" for an optional field without a value.
template <class Field>
std::string render_field(const void* field, const ResultPath& path, std::size_t depth) {
  const Field& value = *static_cast<const Field*>(field);
  if constexpr (IsOptional<Field>::value) {
    return value ? render(*value, path, depth) : "";
  } else {
    return render(value, path, depth);
  }
}

// The visitor of a struct's fields.
template <class Struct>
struct FieldWriter {
  ObjectWriter& object;
  const Struct& from;

  template <class Field>
  void operator()(const char* name, Field Struct::*member, const char*, int = 1) {
    object.field(name, render_field<Field>, &(from.*member));
  }
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
    ObjectWriter object(path, depth);
    FieldWriter<T> visitor{object, value};
    T::describe(visitor);
    return object.text();
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

std::string write_command_duet(const CommandDuet& duet) {
  return render(duet, ResultPath(), 0) + "\n";
}

std::string write_calibration(const Calibration& calibration) {
  return render(to_file(calibration), ResultPath(), 0) + "\n";
}

std::string write_verdict(const Verdict& verdict) {
  return render(verdict, ResultPath(), 0) + "\n";
}

}  // namespace tailgate
