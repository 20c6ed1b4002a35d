#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "harness/base/enum_text.h"
#include "harness/base/error.h"
#include "harness/base/options.h"
#include "harness/result/calibration_file.h"
#include "harness/result/describe.h"
#include "harness/result/json.h"

namespace tailgate {
namespace {

using nlohmann::json;

constexpr const char* kDamagedDocument = "copy the file again from its source, or repeat the run";
constexpr const char* kSeeFields = "see the field tables in results/, or repeat the run";

// What distinguishes the kinds of files.
struct Format {
  const char* name;     // the value of its field 'format'
  const char* what;     // its name in errors
  const char* command;  // the command that writes it
  int version;          // the current version
};

constexpr Format kResult{kResultFormat, "result", "tailgate run", kResultVersion};
constexpr Format kDuet{kDuetFormat, "duet", "tailgate duet", kDuetVersion};
constexpr Format kCommandDuet{kCommandDuetFormat, "duet of commands", "tailgate duet --command",
                              kCommandDuetVersion};
constexpr Format kVerdict{kVerdictFormat, "verdict", "tailgate gate --json", kVerdictVersion};
constexpr Format kCalibration{kCalibrationFormat, "calibration", "tailgate selftest gate",
                              kCalibrationVersion};

// Returns a value as text for an error message: short and on one line.
std::string excerpt(const json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  constexpr std::size_t kMaxChars = 60;
  if (value.is_string() && value.get_ref<const std::string&>().size() > kMaxChars) {
    return fmt::format("a text of {} bytes", value.get_ref<const std::string&>().size());
  }
  return value.dump(-1, ' ', true, json::error_handler_t::replace);
}

struct Source {
  const std::string& origin;
  const Format& format;
  int version;
};

[[noreturn]] void refuse(const Source& source, const ResultPath& path, const json& value,
                         const std::string& wanted) {
  const std::string place = path.text();
  throw Error(fmt::format("{}: {} = {} is not {}", source.origin, place.empty() ? "it" : place,
                          excerpt(value), wanted),
              kSeeFields);
}

// Reads a value of one type; `into` points to that type. The compiler writes one such function a
// type. What all fields have in common takes it as an argument, and is compiled once.
using ReadValue = void (*)(const json& value, const ResultPath& path, const Source& source,
                           void* into);

template <class T>
void read(const json& value, const ResultPath& path, const Source& source, T& into);

template <class Field>
void read_field(const json& value, const ResultPath& path, const Source& source, void* into) {
  Field& field = *static_cast<Field*>(into);
  if constexpr (IsOptional<Field>::value) {
    read(value, path, source, field.emplace());
  } else {
    read(value, path, source, field);
  }
}

// Reads the fields of one object, and refuses those that its struct does not have.
class ObjectReader {
 public:
  ObjectReader(const json& object, const ResultPath& path, const Source& source)
      : object_(object), path_(path), source_(source) {
    if (!object.is_object()) refuse(source, path, object, "an object");
  }

  void field(const char* name, bool optional, int since, ReadValue read_value, void* into) {
    names_.push_back(name);
    const ResultPath path(path_, name);
    const auto found = object_.find(name);
    if (found == object_.end()) {
      if (optional || since > source_.version) return;
      throw Error(fmt::format("{}: {} is missing", source_.origin, path.text()), kSeeFields);
    }
    ++known_;
    read_value(*found, path, source_, into);
  }

  // An older file may contain fields that were removed since; a file of the current version may
  // not.
  void check_unknown() const {
    if (known_ == object_.size() || source_.version < source_.format.version) return;
    for (const auto& [name, value] : object_.items()) {
      if (std::find(names_.begin(), names_.end(), name) != names_.end()) continue;
      const std::string near = nearest_name(name, {names_.begin(), names_.end()});
      throw Error(fmt::format("{}: {} is not a field of a version {} {}", source_.origin,
                              excerpt(ResultPath(path_, name).text()), source_.version,
                              source_.format.what),
                  near.empty() ? std::string(kSeeFields) : fmt::format("did you mean '{}'?", near));
    }
  }

 private:
  const json& object_;
  const ResultPath& path_;
  const Source& source_;
  std::vector<const char*> names_;
  std::size_t known_ = 0;
};

// The visitor of a struct's fields.
template <class Struct>
struct FieldReader {
  ObjectReader& object;
  Struct& into;

  template <class Field>
  void operator()(const char* name, Field Struct::*member, const char*, int since = 1) {
    object.field(name, IsOptional<Field>::value, since, read_field<Field>, &(into.*member));
  }
};

void read_value(const json& value, const ResultPath& path, const Source& source,
                std::string& into) {
  if (!value.is_string()) refuse(source, path, value, "a text");
  into = value.get_ref<const std::string&>();
}

void read_value(const json& value, const ResultPath& path, const Source& source, bool& into) {
  if (!value.is_boolean()) refuse(source, path, value, "true or false");
  into = value.get<bool>();
}

void read_value(const json& value, const ResultPath& path, const Source& source, double& into) {
  if (!value.is_number()) refuse(source, path, value, "a number");
  into = value.get<double>();
}

template <WholeNumber T>
void read_value(const json& value, const ResultPath& path, const Source& source, T& into) {
  using Limits = std::numeric_limits<T>;
  if (value.is_number_unsigned() && std::in_range<T>(value.get<std::uint64_t>())) {
    into = static_cast<T>(value.get<std::uint64_t>());
  } else if (value.is_number_integer() && !value.is_number_unsigned() &&
             std::in_range<T>(value.get<std::int64_t>())) {
    into = static_cast<T>(value.get<std::int64_t>());
  } else {
    refuse(source, path, value,
           fmt::format("a whole number from {} to {}", Limits::min(), Limits::max()));
  }
}

// Returns the place of the value among the texts.
std::size_t read_choice(const json& value, const ResultPath& path, const Source& source,
                        std::span<const std::string_view> texts) {
  const auto found =
      value.is_string() ? std::find(texts.begin(), texts.end(), value.get_ref<const std::string&>())
                        : texts.end();
  if (found == texts.end()) {
    refuse(source, path, value, fmt::format("one of: {}", fmt::join(texts, ", ")));
  }
  return static_cast<std::size_t>(found - texts.begin());
}

template <class T>
void read(const json& value, const ResultPath& path, const Source& source, T& into) {
  if constexpr (Described<T>) {
    ObjectReader object(value, path, source);
    FieldReader<T> visitor{object, into};
    T::describe(visitor);
    object.check_unknown();
  } else if constexpr (IsVector<T>::value) {
    if (!value.is_array()) refuse(source, path, value, "a list");
    into.resize(value.size());
    for (std::size_t i = 0; i < value.size(); ++i) {
      read(value[i], ResultPath(path, i), source, into[i]);
    }
  } else if constexpr (TextEnum<T>) {
    into = static_cast<T>(read_choice(value, path, source, kEnumTexts<T>));
  } else {
    read_value(value, path, source, into);
  }
}

// Reads a text once before it is parsed, and refuses what the parser would accept: nesting deeper
// than any result, more values than any result, and a repeated field, of which the parser would
// keep the last. A pass of its own, since the parser's callbacks take quadratic time: nlohmann's
// parser walks the whole list around an object at each object's end.
class Guard : public nlohmann::json_sax<json> {
 public:
  Guard(std::string_view text, const std::string& origin) : text_(text), origin_(origin) {}

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t&) override { return value(); }
  bool binary(binary_t&) override { return value(); }

  bool start_object(std::size_t) override {
    keys_.emplace_back();
    return enter();
  }
  bool key(string_t& name) override {
    if (keys_.back().insert(name).second) return true;
    throw Error(fmt::format("{}: field {} is given twice in one object", origin_, excerpt(name)),
                kDamagedDocument);
  }
  bool end_object() override {
    keys_.pop_back();
    return leave();
  }
  bool start_array(std::size_t) override { return enter(); }
  bool end_array() override { return leave(); }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    constexpr int kNumberTooLarge = 406;
    if (error.id == kNumberTooLarge) {
      throw Error(fmt::format("{}: holds a number beyond the range of a double", origin_),
                  kDamagedDocument);
    }
    const std::size_t byte = std::min(position, text_.size());
    const auto line =
        std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(byte), '\n') + 1;
    throw Error(
        fmt::format("{}: not JSON at byte {} of {} (line {})", origin_, byte, text_.size(), line),
        kDamagedDocument);
  }

 private:
  bool enter() {
    if (depth_ >= kMaxResultDepth) {
      throw Error(fmt::format("{}: nests deeper than {} levels, which no result does", origin_,
                              kMaxResultDepth),
                  "give a result file of tailgate");
    }
    ++depth_;
    return value();
  }
  bool leave() {
    --depth_;
    return true;
  }
  bool value() {
    if (++values_ <= kMaxResultValues) return true;
    throw Error(fmt::format("{}: has more than the {} values that a result may have", origin_,
                            kMaxResultValues),
                "give a result file of tailgate; for a long run, make the intervals longer");
  }

  std::string_view text_;
  const std::string& origin_;
  int depth_ = 0;
  std::size_t values_ = 0;
  std::vector<std::unordered_set<std::string>> keys_;  // of the open objects
};

json parse(std::string_view text, const std::string& origin) {
  if (text.size() > kMaxResultBytes) {
    throw Error(fmt::format("{}: {} bytes exceed the {} that a result may have", origin,
                            text.size(), kMaxResultBytes),
                "give a result file of tailgate; for a long run, make the intervals longer");
  }
  Guard guard(text, origin);
  json::sax_parse(text, &guard);
  return json::parse(text);
}

int check_format(const json& document, const Format& format, const std::string& origin) {
  const auto named = document.is_object() ? document.find("format") : document.end();
  if (named == document.end() || *named != format.name) {
    throw Error(fmt::format("{}: not a {}: its 'format' is {}, not '{}'", origin, format.what,
                            named == document.end() ? "missing" : excerpt(*named), format.name),
                fmt::format("give a file that '{}' wrote", format.command));
  }
  const auto found = document.find("version");
  int version = 0;
  const Source source{origin, format, format.version};
  const ResultPath root;
  const ResultPath path(root, "version");
  if (found == document.end()) {
    throw Error(fmt::format("{}: version is missing", origin), kSeeFields);
  }
  read_value(*found, path, source, version);
  if (version > format.version) {
    throw Error(fmt::format("{}: version {} was made by a newer tailgate; this one reads up to {}",
                            origin, version, format.version),
                "use the tailgate that made it, or a later one");
  }
  if (version < 1) refuse(source, path, *found, "1 or more");
  return version;
}

template <class Root>
Root read_document(const json& document, const Format& format, const std::string& origin) {
  const Source source{origin, format, check_format(document, format, origin)};
  Root root;
  read(document, ResultPath(), source, root);
  root.version = format.version;
  return root;
}

template <class Root>
Root read_root(std::string_view json_text, const Format& format, const std::string& origin) {
  return read_document<Root>(parse(json_text, origin), format, origin);
}

}  // namespace

Result read_result(std::string_view json_text, const std::string& origin) {
  return read_root<Result>(json_text, kResult, origin);
}

Duet read_duet(std::string_view json_text, const std::string& origin) {
  return read_root<Duet>(json_text, kDuet, origin);
}

CommandDuet read_command_duet(std::string_view json_text, const std::string& origin) {
  return read_root<CommandDuet>(json_text, kCommandDuet, origin);
}

std::vector<Verdict> read_verdicts(std::string_view json_text, const std::string& origin) {
  const json document = parse(json_text, origin);
  if (!document.is_array()) return {read_document<Verdict>(document, kVerdict, origin)};
  std::vector<Verdict> verdicts;
  for (std::size_t i = 0; i < document.size(); ++i) {
    verdicts.push_back(
        read_document<Verdict>(document[i], kVerdict, fmt::format("{}: [{}]", origin, i)));
  }
  return verdicts;
}

Calibration read_calibration(std::string_view json_text, const std::string& origin) {
  const json document = parse(json_text, origin);
  const Source source{origin, kCalibration, check_format(document, kCalibration, origin)};
  CalibrationFile file;
  read(document, ResultPath(), source, file);
  CalibrationFileV1 old;
  if (source.version == 1) read(document, ResultPath(), source, old);
  try {
    return from_file(std::move(file), std::move(old));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", origin, error.what_failed()), error.remedy());
  }
}

}  // namespace tailgate
