#include "harness/result/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "harness/result/describe.h"
#include "harness/result/duet.h"
#include "harness/result/result.h"
#include "harness/result/verdict.h"

namespace tailgate {
namespace {

using Json = nlohmann::ordered_json;

// The name and the one-line meaning of each struct.
template <class Struct>
struct About;
#define TAILGATE_ABOUT(Struct, text)              \
  template <>                                     \
  struct About<Struct> {                          \
    static constexpr const char* kName = #Struct; \
    static constexpr const char* kMeaning = text; \
  }
TAILGATE_ABOUT(Result, "one run: all trials of one scenario, sink and configuration");
TAILGATE_ABOUT(ScenarioUsed, "the scenario that was run");
TAILGATE_ABOUT(SinkUsed, "the sink that it was run against");
TAILGATE_ABOUT(Setting, "a named setting; settings stand in the order of their options table");
TAILGATE_ABOUT(Placement, "which processors each role was bound to");
TAILGATE_ABOUT(Machine, "the machine");
TAILGATE_ABOUT(Build, "the program that measured");
TAILGATE_ABOUT(ClockUsed, "the clock that every time was read from");
TAILGATE_ABOUT(StepSummary,
               "all completed trials of one step together: quantiles of the merged histograms");
TAILGATE_ABOUT(Latency, "a distribution of durations, with the digest that people look up most");
TAILGATE_ABOUT(Trial, "one fresh process that ran the scenario against the sink once");
TAILGATE_ABOUT(Load, "the shape of the load, as the scenario planned it for one step");
TAILGATE_ABOUT(Interval, "a stretch of a trial");
TAILGATE_ABOUT(SlowCall, "one of the slowest calls of a trial");
TAILGATE_ABOUT(LedgerAccount,
               "what became of every event: emitted = delivered + lost + unaccounted");
TAILGATE_ABOUT(LossCount, "events lost to one cause");
TAILGATE_ABOUT(ConsumerReport, "how the events were read back");
TAILGATE_ABOUT(DaemonUse, "a process that worked for the session, such as a collecting daemon");
TAILGATE_ABOUT(Overhead, "what each role used while a trial's recorded load ran");
TAILGATE_ABOUT(RoleUse, "what the processes of one role used, or the whole machine");
TAILGATE_ABOUT(Counters,
               "counts during a stretch of time; one that this operating system does not keep, or "
               "does not show to this user, is absent");
TAILGATE_ABOUT(VictimUse, "a fixed piece of work that another process did beside the load");
TAILGATE_ABOUT(Estimate, "a mean over trials and how well it is known");
TAILGATE_ABOUT(RoleOverhead,
               "what logging cost by role: each trial's use less its control trial's; without "
               "control trials the use itself");
TAILGATE_ABOUT(Explanation, "why the slow calls of one trial were slow");
TAILGATE_ABOUT(TraceUsed, "how the machine was watched during a traced trial");
TAILGATE_ABOUT(TraceLoss, "records that the trace lost on one processor");
TAILGATE_ABOUT(ExplainedTail, "the slow end of one distribution and what it is made of");
TAILGATE_ABOUT(CauseTime, "what one cause took of a tail's time");
TAILGATE_ABOUT(Culprit, "somebody or something that slow calls waited for");
TAILGATE_ABOUT(ExplainedCall,
               "a call above the threshold, cut from its intended start to its return without gap "
               "or overlap");
TAILGATE_ABOUT(CallSlice, "a stretch of a slow call's time that has one cause");
TAILGATE_ABOUT(ActivityWindow, "what all processors did around one of the slowest calls");
TAILGATE_ABOUT(ActivityRun, "one thread's stay on a processor");
TAILGATE_ABOUT(ActivitySpan,
               "something with a begin and an end that happened on a processor or in a thread");
TAILGATE_ABOUT(ActivityWake, "a thread that was made ready to run");
TAILGATE_ABOUT(Disturbance, "what the trace itself changed, in one step");
TAILGATE_ABOUT(QuantileShift, "one quantile with and without the trace");
TAILGATE_ABOUT(Noise, "time that an idle spinning thread did not get: the machine's own noise");
TAILGATE_ABOUT(Floor, "the harness's own cost: the same loop on the null sink");
TAILGATE_ABOUT(Remark, "something that a reader of the figures must know");
TAILGATE_ABOUT(Duet, "one duet: two sides that took turns on one processor, round after round");
TAILGATE_ABOUT(DuetSubject, "what one side of a duet is");
TAILGATE_ABOUT(DuetRound, "one round: fresh processes of both sides, alternating in short slices");
TAILGATE_ABOUT(DuetSide,
               "one side of one round: all its slices together, without the first events of each");
TAILGATE_ABOUT(Verdict, "what the gate says of one duet");
TAILGATE_ABOUT(MetricJudgement, "one metric's part in the verdict");
TAILGATE_ABOUT(QuantileRatio, "how one quantile of the response times differs");
#undef TAILGATE_ABOUT

struct FieldText {
  std::string name;
  std::string type;  // for the table, in Markdown
  Json schema;
  std::string meaning;
  int since;
  bool optional;
};

struct StructText {
  std::string name;
  std::string meaning;
  std::vector<FieldText> fields;
};

// Collects the structs in the order in which a reader of the result meets them.
class Collector {
 public:
  template <Described Struct>
  void collect() {
    const std::string name = About<Struct>::kName;
    for (const StructText& known : structs_) {
      if (known.name == name) return;
    }
    const std::size_t index = structs_.size();
    structs_.push_back({name, About<Struct>::kMeaning, {}});
    const std::size_t outer = std::exchange(current_, index);
    Struct::describe(*this);
    current_ = outer;
  }

  template <class Struct, class Field>
  void operator()(const char* name, Field Struct::*, const char* meaning, int since = 1) {
    FieldText text{name, "", {}, meaning, since, IsOptional<Field>::value};
    set_type<Field>(text);
    text.schema["description"] = meaning;
    structs_[current_].fields.push_back(std::move(text));
    // Field by field, so that the tables follow in the order of the fields; `collect` returns here.
    collect_below<Field>();
  }

  const std::vector<StructText>& structs() const { return structs_; }

 private:
  template <class Field>
  void collect_below() {
    if constexpr (Described<Field>) {
      collect<Field>();
    } else if constexpr (IsVector<Field>::value || IsOptional<Field>::value) {
      collect_below<typename Field::value_type>();
    }
  }

  template <class Field>
  static void set_type(FieldText& text) {
    if constexpr (Described<Field>) {
      const std::string name = About<Field>::kName;
      std::string anchor = name;
      std::transform(anchor.begin(), anchor.end(), anchor.begin(),
                     [](char c) { return static_cast<char>(c | 0x20); });
      text.type = fmt::format("[{}](#{})", name, anchor);
      text.schema["$ref"] = "#/$defs/" + name;
    } else if constexpr (IsVector<Field>::value) {
      set_type<typename Field::value_type>(text);
      text.type = "list of " + text.type;
      text.schema = Json{{"type", "array"}, {"items", text.schema}};
    } else if constexpr (IsOptional<Field>::value) {
      set_type<typename Field::value_type>(text);
      text.type += ", may be absent";
    } else if constexpr (std::same_as<Field, std::string>) {
      text.type = "text";
      text.schema["type"] = "string";
    } else if constexpr (std::same_as<Field, bool>) {
      text.type = "true or false";
      text.schema["type"] = "boolean";
    } else if constexpr (std::same_as<Field, double>) {
      text.type = "number";
      text.schema["type"] = "number";
    } else {
      static_assert(WholeNumber<Field>);
      text.type = std::is_signed_v<Field> ? "whole number, signed" : "whole number";
      text.schema["type"] = "integer";
      text.schema["minimum"] = std::numeric_limits<Field>::min();
      text.schema["maximum"] = std::numeric_limits<Field>::max();
    }
  }

  std::vector<StructText> structs_;
  std::size_t current_ = 0;
};

template <class Root>
std::vector<StructText> structs_of() {
  Collector collector;
  collector.collect<Root>();
  return collector.structs();
}

Json schema_of(const StructText& text) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const FieldText& field : text.fields) {
    properties[field.name] = field.schema;
    if (!field.optional && field.since == 1) required.push_back(field.name);
  }
  return {{"description", text.meaning},
          {"type", "object"},
          {"properties", properties},
          {"required", required},
          {"additionalProperties", false}};
}

template <class Root>
std::string schema_json(const char* format, int version) {
  const std::string root = About<Root>::kName;
  Json schema;
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = format;
  schema["$ref"] = "#/$defs/" + root;
  Json& definitions = schema["$defs"] = Json::object();
  for (const StructText& text : structs_of<Root>()) definitions[text.name] = schema_of(text);
  Json& fields = definitions[root]["properties"];
  fields["format"]["const"] = format;
  fields["version"]["minimum"] = 1;
  fields["version"]["maximum"] = version;
  return schema.dump(2) + "\n";
}

// elsewhere: the file to which links to structs lead whose tables are not among these.
std::string field_tables(const std::vector<StructText>& structs, const std::string& elsewhere) {
  std::string text;
  for (const StructText& table : structs) {
    text +=
        fmt::format("{}### {}\n\nHolds {}.\n\n| field | type | meaning |\n| --- | --- | --- |\n",
                    text.empty() ? "" : "\n", table.name, table.meaning);
    for (const FieldText& field : table.fields) {
      const std::string since =
          field.since == 1 ? "" : fmt::format(" (since version {})", field.since);
      const auto here = [&](const StructText& other) {
        return field.type.find("[" + other.name + "]") != std::string::npos;
      };
      std::string type = field.type;
      const std::size_t link = type.find("](#");
      if (link != std::string::npos && std::none_of(structs.begin(), structs.end(), here)) {
        type.insert(link + 2, elsewhere);
      }
      text += fmt::format("| `{}` | {} | {}{} |\n", field.name, type, field.meaning, since);
    }
  }
  return text;
}

template <class Root>
std::vector<StructText> structs_beside_result() {
  std::vector<StructText> structs = structs_of<Root>();
  for (const StructText& known : structs_of<Result>()) {
    std::erase_if(structs, [&](const StructText& text) { return text.name == known.name; });
  }
  return structs;
}

}  // namespace

std::string result_schema_json() {
  return schema_json<Result>(kResultFormat, kResultVersion);
}

std::string duet_schema_json() {
  return schema_json<Duet>(kDuetFormat, kDuetVersion);
}

std::string verdict_schema_json() {
  return schema_json<Verdict>(kVerdictFormat, kVerdictVersion);
}

std::string result_field_tables() {
  return field_tables(structs_of<Result>(), "");
}

std::string duet_field_tables() {
  return field_tables(structs_beside_result<Duet>(), "README.md");
}

std::string verdict_field_tables() {
  return field_tables(structs_beside_result<Verdict>(), "README.md");
}

}  // namespace tailgate
