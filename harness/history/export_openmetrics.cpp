#include <fmt/format.h>

#include <cctype>
#include <cstdint>
#include <map>
#include <string_view>

#include "harness/history/export.h"

namespace tailgate::history {
namespace {

// A value of a label: '\', '"' and line feeds are escaped. Texts of a history are printable.
std::string label_value(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\' || c == '"') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// A name of letters, digits and underscores.
std::string name_of(std::string_view text) {
  std::string name;
  for (const char c : text) {
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  return name;
}

// The name with the unit that OpenMetrics wants: response_ns is response_seconds.
std::string in_seconds(std::string name) {
  for (std::size_t at = name.find("_ns"); at != std::string::npos; at = name.find("_ns", at + 1)) {
    const std::size_t end = at + 3;
    if (end == name.size() || name[end] == '_') name.replace(at, 3, "_seconds");
  }
  return name;
}

// What is written of one metric family, by label set and time: both have to be in order.
struct Family {
  const char* type;
  std::map<std::string, std::map<std::int64_t, std::string>> samples;
};

class Families {
 public:
  explicit Families(Merge merge) : with_machine_(merge == Merge::night) {}

  void add(const Answer& one) {
    const bool seconds = one.series.unit == "ns";
    const bool effect = one.series.part == "effect";
    std::string name = "tailgate_" + std::string(effect ? "effect_on_" : "") +
                       name_of(seconds ? in_seconds(one.series.metric) : one.series.metric);
    Family& family = families_[name];
    family.type = one.distribution ? "summary" : "gauge";
    const std::string labels = labels_of(one, effect);
    const double factor = seconds ? 1e-9 : 1;
    family.samples[labels][one.started_ms] =
        one.distribution ? summary(name, labels, one)
                         : line(name, labels, one.value * factor, one.started_ms);
  }

  std::string text() const {
    std::string text;
    for (const auto& [name, family] : families_) {
      text += fmt::format("# TYPE {} {}\n# HELP {} see 'tailgate history list --metrics'\n", name,
                          family.type, name);
      for (const auto& [labels, by_time] : family.samples) {
        for (const auto& [time, lines] : by_time) text += lines;
      }
    }
    return text + "# EOF\n";
  }

 private:
  std::string labels_of(const Answer& one, bool effect) const {
    const Series& series = one.series;
    std::string labels = fmt::format("kind=\"{}\"", enum_text(series.kind));
    const auto add = [&labels](const char* name, const std::string& value) {
      if (!value.empty()) labels += fmt::format(",{}=\"{}\"", name, label_value(value));
    };
    add("scenario", series.scenario);
    add("preset", series.preset);
    add("sink", series.sink);
    add("load", series.load);
    add("part", series.part);
    add("machine", with_machine_ ? one.machine : "");
    add("group", one.fingerprint);
    add("restriction", one.label);
    add("unit", effect ? series.unit : "");
    return labels;
  }

  static std::string line(const std::string& name, const std::string& labels, double value,
                          std::int64_t time_ms) {
    return fmt::format("{}{{{}}} {} {}.{:03}\n", name, labels, value, time_ms / 1000,
                       time_ms % 1000);
  }

  static std::string summary(const std::string& name, const std::string& labels,
                             const Answer& one) {
    const Histogram& histogram = *one.distribution;
    std::string text;
    for (const double quantile : {0.5, 0.9, 0.99, 0.999, 0.9999, 1.0}) {
      const auto ns = static_cast<double>(histogram.value_at_quantile(quantile));
      text += line(name, fmt::format("{},quantile=\"{}\"", labels, quantile), ns * 1e-9,
                   one.started_ms);
    }
    const auto count = static_cast<double>(histogram.total_count());
    return text + line(name + "_sum", labels, histogram.mean() * count * 1e-9, one.started_ms) +
           line(name + "_count", labels, count, one.started_ms);
  }

  bool with_machine_;
  std::map<std::string, Family> families_;
};

}  // namespace

std::string to_openmetrics(History& history, const Question& question) {
  Question asked = question;
  if (asked.merge == Merge::nothing) asked.merge = Merge::night;
  Families families(asked.merge);
  history.for_each(asked, [&families](const Answer& one) { families.add(one); });
  return families.text();
}

}  // namespace tailgate::history
