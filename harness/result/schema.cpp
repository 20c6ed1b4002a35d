#include "harness/result/schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "harness/base/enum_text.h"
#include "harness/result/command_duet.h"
#include "harness/result/describe.h"
#include "harness/result/duet.h"
#include "harness/result/result.h"
#include "harness/result/verdict.h"

namespace tailgate {
namespace {

using Json = nlohmann::ordered_json;

// The name and the one-line description of each struct.
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
TAILGATE_ABOUT(SinkUsed, "the sink against which the scenario was run");
TAILGATE_ABOUT(Setting, "a named setting; lists of settings are in the order of the options table");
TAILGATE_ABOUT(Placement, "the processors to which each role was bound");
TAILGATE_ABOUT(Machine, "the machine");
TAILGATE_ABOUT(Build, "the program that measured");
TAILGATE_ABOUT(ClockUsed, "the run clock, from which all times are read");
TAILGATE_ABOUT(StepSummary,
               "all completed trials of one step together: quantiles of the merged histograms");
TAILGATE_ABOUT(Latency, "a distribution of durations and its most used quantiles");
TAILGATE_ABOUT(Trial, "one fresh process that ran the scenario against the sink once");
TAILGATE_ABOUT(Load, "the load that the scenario planned for one step");
TAILGATE_ABOUT(Interval, "an interval of a trial");
TAILGATE_ABOUT(SlowCall, "one of the slowest calls of a trial");
TAILGATE_ABOUT(
    LedgerAccount,
    "what became of every event: emitted = delivered + lost + unaccounted (+ switched_off)");
TAILGATE_ABOUT(LossCount, "the events lost for one cause");
TAILGATE_ABOUT(ConsumerReport, "how the events were read back");
TAILGATE_ABOUT(WriterUse, "what one load thread of several recorded");
TAILGATE_ABOUT(DaemonUse, "a process that worked for the session, such as a collecting daemon");
TAILGATE_ABOUT(Overhead, "what each role used while a trial's recorded load ran");
TAILGATE_ABOUT(RoleUse, "what the processes of one role used, or the whole machine");
TAILGATE_ABOUT(Counters,
               "counts during a period; a counter is absent if this operating system does not keep "
               "it or does not show it to this user");
TAILGATE_ABOUT(
    VictimUse,
    "the work of the victim: a process that repeats a fixed piece of work during the load");
TAILGATE_ABOUT(Estimate, "a mean over trials and its confidence interval");
TAILGATE_ABOUT(RoleOverhead,
               "the cost of logging by role: each trial's use minus that of its control trial; "
               "without control trials the use itself");
TAILGATE_ABOUT(Explanation, "why the slow calls of one trial were slow");
TAILGATE_ABOUT(TraceUsed, "the trace of a traced trial");
TAILGATE_ABOUT(TraceLoss, "records that the trace lost on one processor");
TAILGATE_ABOUT(ExplainedTail, "the tail of one distribution and its causes");
TAILGATE_ABOUT(CauseTime, "the time of one cause in a tail");
TAILGATE_ABOUT(FunctionStep, "a stretch of a call's time in one function of the kernel");
TAILGATE_ABOUT(CallFunctions, "the kernel's functions in which a call was");
TAILGATE_ABOUT(FunctionTime, "the time of slow calls in one function of the kernel");
TAILGATE_ABOUT(TailFunctions, "the kernel's functions in which the slow calls of a tail were");
TAILGATE_ABOUT(Culprit, "a thread, interrupt or system call that took time of slow calls");
TAILGATE_ABOUT(ExplainedCall,
               "one of the slowest calls, cut into slices from its intended start to its return");
TAILGATE_ABOUT(CallSlice, "a stretch of a slow call's time that has one cause");
TAILGATE_ABOUT(ActivityWindow, "what all processors did around one of the slowest calls");
TAILGATE_ABOUT(ActivityRun, "a period in which one thread had a processor");
TAILGATE_ABOUT(ActivitySpan, "a period of activity of a processor or a thread");
TAILGATE_ABOUT(ActivityWake, "the moment at which a thread became ready to run");
TAILGATE_ABOUT(Profile, "in which functions a traced trial spent its time, by samples");
TAILGATE_ABOUT(ProfiledFunction, "a function that a profile names");
TAILGATE_ABOUT(RoleProfile, "the samples of one role");
TAILGATE_ABOUT(FunctionSamples, "a function's share of a role's samples");
TAILGATE_ABOUT(ProfiledStack, "a stack of callers, and how often it was sampled");
TAILGATE_ABOUT(ProfiledTail, "the functions in which the slow calls of a tail were");
TAILGATE_ABOUT(CallFunction, "a function in which slow calls were");
TAILGATE_ABOUT(ProfileSample, "one sample around the listed calls");
TAILGATE_ABOUT(Disturbance, "how the trace itself changed the latencies of one step");
TAILGATE_ABOUT(QuantileShift, "one quantile with and without the trace");
TAILGATE_ABOUT(Noise, "the machine's own noise: time in which an idle spinning thread did not run");
TAILGATE_ABOUT(Neighbours, "who else used the machine during a trial");
TAILGATE_ABOUT(NeighbourUse, "what the processes of one name used of the machine");
TAILGATE_ABOUT(Floor,
               "the harness's own cost: the emit loop on the null sink, or timing a program's call "
               "that does nothing");
TAILGATE_ABOUT(ProgramUse, "a program that was measured: how, and what became of it");
TAILGATE_ABOUT(TimedCalls, "calls of one function or kind");
TAILGATE_ABOUT(CopyRead, "one sink's copy of the log lines, compared with what was sent");
TAILGATE_ABOUT(LineKindRead, "the lines of one kind in a copy");
TAILGATE_ABOUT(LineDifference, "where a line that came back first differs from what was sent");
TAILGATE_ABOUT(KernelEventsUse, "a group of the kernel's events that was on during a trial");
TAILGATE_ABOUT(ActionDone, "what a scenario did to a process or the session of a trial");
TAILGATE_ABOUT(FurtherUse,
               "what became of the events of a provider process, of a consumer or of a rival's "
               "session that a scenario started during the load");
TAILGATE_ABOUT(Switching, "how the switches of a trial's session went, and the calls at them");
TAILGATE_ABOUT(SwitchCommands,
               "what a session sent its provider of its switches, and what of that arrived in the "
               "provider's process");
TAILGATE_ABOUT(SwitchedEvents, "what became of the events around the switches of the session");
TAILGATE_ABOUT(Survival,
               "what a killed process took with it, of the events that calls had accepted");
TAILGATE_ABOUT(StorageUse,
               "how much room a trial's files took while its load ran; files whose names begin "
               "with a dot hold "
               "no events and do not count");
TAILGATE_ABOUT(StorageLook, "the sizes of a trial's files at one time");
TAILGATE_ABOUT(KeptEvents, "which of a trial's accepted events were left at its end");
TAILGATE_ABOUT(EarlyEnd, "the scenario's limit that ended a load before its time");
TAILGATE_ABOUT(Resumption, "where a run went on that had been interrupted");
TAILGATE_ABOUT(Answer, "a scenario's answer: one sentence and the figures behind it");
TAILGATE_ABOUT(AnswerFigure, "a figure of an answer, with the interval that its trials give it");
TAILGATE_ABOUT(Remark, "a problem that a reader of the figures must know");
TAILGATE_ABOUT(Duet, "one duet: two sides that alternated on one processor, round after round");
TAILGATE_ABOUT(Difference, "why the sides of a duet differ, by traced rounds of both");
TAILGATE_ABOUT(DifferenceSum, "a time that was compared, and the parts of its difference");
TAILGATE_ABOUT(DifferencePart, "a part of a difference");
TAILGATE_ABOUT(AmountSum,
               "an amount that was compared, such as losses, and the parts of its difference");
TAILGATE_ABOUT(AmountPart, "a part of a difference between amounts");
TAILGATE_ABOUT(CauseRounds, "the time of a cause in every traced round");
TAILGATE_ABOUT(DuetPart, "rounds of a duet that one call of the program ran");
TAILGATE_ABOUT(DuetSubject, "what one side of a duet consists of");
TAILGATE_ABOUT(DuetRound, "one round: processes of both sides that alternate in short turns");
TAILGATE_ABOUT(
    DuetSide,
    "one side of one round: all its turns together, without the first events of each turn");
TAILGATE_ABOUT(DuetThread, "one load thread of a side with several, in one round");
TAILGATE_ABOUT(CommandDuet, "one duet of commands: two programs that ran in alternation");
TAILGATE_ABOUT(CommandSubject, "one side of a duet of commands");
TAILGATE_ABOUT(CommandRound, "one round: a run of each command");
TAILGATE_ABOUT(CommandRun, "one run of a command");
TAILGATE_ABOUT(CommandFigure, "a figure that a run printed");
TAILGATE_ABOUT(Verdict, "the gate's verdict on one duet");
TAILGATE_ABOUT(MetricJudgement, "the judgement of one metric");
TAILGATE_ABOUT(QuantileRatio, "the ratio of one quantile of both sides' response times");
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

// Collects the structs in the order of the fields that use them.
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
    // Descend at once, so that the tables are in the order of the fields.
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
    } else if constexpr (TextEnum<Field>) {
      text.type = fmt::format("text: {}", fmt::join(enum_choices<Field>(), ", "));
      text.schema["type"] = "string";
      text.schema["enum"] = enum_choices<Field>();
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

// given_up: the fields of the root that only older files have.
template <class Root>
std::string schema_json(const char* format, int version,
                        const std::vector<std::string>& given_up = {}) {
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
  for (const std::string& field : given_up) fields[field]["description"] = "in older files only";
  return schema.dump(2) + "\n";
}

// elsewhere: the file that has the tables of structs that are not in `structs`; links lead there.
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
  return schema_json<Duet>(kDuetFormat, kDuetVersion, {"explained"});
}

std::string command_duet_schema_json() {
  return schema_json<CommandDuet>(kCommandDuetFormat, kCommandDuetVersion);
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

std::string command_duet_field_tables() {
  return field_tables(structs_beside_result<CommandDuet>(), "README.md");
}

std::string verdict_field_tables() {
  return field_tables(structs_beside_result<Verdict>(), "README.md");
}

}  // namespace tailgate
