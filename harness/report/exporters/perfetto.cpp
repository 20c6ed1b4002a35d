// What all processors did around the slowest calls, as a trace that ui.perfetto.dev opens: JSON in
// the Trace Event Format (Google's document of that name; Perfetto lists it among the formats that
// it imports). Times are microseconds with three decimals, so that nanoseconds survive.
//
// Five "processes" hold the tracks: the processors (who ran; interrupts), the load's threads (the
// calls with their system calls and page faults; the cause of each stretch of time), storage, the
// sampled functions, and those of the kernel that were recorded. Windows of neighbouring calls may
// overlap; what lies in two windows is written once.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "harness/base/error.h"
#include "harness/report/exporter.h"

namespace tailgate {
namespace {

using Json = nlohmann::ordered_json;

enum Process : int { kProcessors = 1, kLoad = 2, kStorage = 3, kFunctions = 4, kKernel = 5 };

// The number of a track within its process. A pair of tracks has an even number and the next odd
// one.
int track(unsigned number, bool second) {
  return static_cast<int>(2 * number + (second ? 2 : 1));
}

Json microseconds(std::uint64_t ns) {
  return static_cast<double>(ns) / 1000;
}

struct Span {
  Process process;
  int track;
  std::uint64_t start_ns;
  std::uint64_t end_ns;
  std::string name;
  std::string category;
  Json arguments = Json::object();
};

class Trace {
 public:
  void name_process(Process process, const char* name) {
    if (!processes_.insert(process).second) return;
    metadata(process, 0, "process_name", {{"name", name}});
    metadata(process, 0, "process_sort_index", {{"sort_index", static_cast<int>(process)}});
  }

  void name_track(Process process, int track, const std::string& name) {
    if (!tracks_.emplace(process, track).second) return;
    metadata(process, track, "thread_name", {{"name", name}});
    metadata(process, track, "thread_sort_index", {{"sort_index", track}});
  }

  // Adds a span to its track. Spans of one track must be disjoint or nested.
  void add(Span span) { spans_.push_back(std::move(span)); }

  // Adds a span that may overlap others of its track.
  void add_crossing(const Span& span) {
    const std::string id = fmt::format("{}", ++last_id_);
    for (const char* phase : {"b", "e"}) {
      Json event = common(span, phase, *phase == 'b' ? span.start_ns : span.end_ns);
      event["id"] = id;
      events_.push_back(std::move(event));
    }
  }

  void add_instant(const Span& at) {
    Json event = common(at, "i", at.start_ns);
    event["s"] = "t";
    events_.push_back(std::move(event));
  }

  // Returns the events. A span comes before the spans nested in it.
  Json finish() && {
    std::stable_sort(spans_.begin(), spans_.end(), [](const Span& a, const Span& b) {
      return std::tie(a.start_ns, b.end_ns) < std::tie(b.start_ns, a.end_ns);
    });
    for (const Span& span : spans_) {
      Json event = common(span, "X", span.start_ns);
      event["dur"] = microseconds(span.end_ns - span.start_ns);
      events_.push_back(std::move(event));
    }
    return std::move(events_);
  }

 private:
  static Json common(const Span& span, const char* phase, std::uint64_t at_ns) {
    return {{"name", span.name},     {"cat", span.category}, {"ph", phase},
            {"pid", span.process},   {"tid", span.track},    {"ts", microseconds(at_ns)},
            {"args", span.arguments}};
  }

  void metadata(Process process, int track, const char* what, Json arguments) {
    events_.push_back({{"name", what},
                       {"ph", "M"},
                       {"pid", process},
                       {"tid", track},
                       {"args", std::move(arguments)}});
  }

  Json events_ = Json::array();
  std::vector<Span> spans_;
  std::set<Process> processes_;
  std::set<std::pair<int, int>> tracks_;
  unsigned last_id_ = 0;
};

std::string thread_name(const std::string& name, std::uint32_t pid) {
  const std::string shown = name.empty() ? "?" : name;
  return pid == 0 ? shown : fmt::format("{} [{}]", shown, pid);
}

// Joins the pieces of a stretch that the windows cut, and drops the copies that overlapping windows
// hold. Two pieces belong to one stretch when key() gives the same for both and they overlap.
template <class Stretch, class Key>
std::vector<Stretch> joined(std::vector<Stretch> stretches, Key key) {
  std::sort(stretches.begin(), stretches.end(), [&](const Stretch& a, const Stretch& b) {
    return std::tuple(key(a), a.start_ns) < std::tuple(key(b), b.start_ns);
  });
  std::vector<Stretch> result;
  for (Stretch& stretch : stretches) {
    if (!result.empty() && key(result.back()) == key(stretch) &&
        stretch.start_ns < result.back().end_ns) {
      result.back().end_ns = std::max(result.back().end_ns, stretch.end_ns);
    } else {
      result.push_back(std::move(stretch));
    }
  }
  return result;
}

void add_runs(Trace& trace, const Explanation& explanation) {
  std::vector<ActivityRun> runs;
  for (const ActivityWindow& window : explanation.windows) {
    runs.insert(runs.end(), window.runs.begin(), window.runs.end());
  }
  std::erase_if(runs, [](const ActivityRun& run) { return run.pid == 0 || run.cpu < 0; });
  const auto key = [](const ActivityRun& run) { return std::tuple(run.cpu, run.pid, run.name); };
  for (const ActivityRun& run : joined(std::move(runs), key)) {
    const int number = track(static_cast<unsigned>(run.cpu), false);
    trace.name_track(kProcessors, number, fmt::format("processor {}", run.cpu));
    trace.add({.process = kProcessors,
               .track = number,
               .start_ns = run.start_ns,
               .end_ns = run.end_ns,
               .name = thread_name(run.name, run.pid),
               .category = "run"});
  }
}

// The load's threads by their system thread id.
using LoadThreads = std::map<std::uint32_t, unsigned>;

LoadThreads load_threads(const Explanation& explanation) {
  LoadThreads threads;
  for (const ExplainedCall& call : explanation.calls) threads.emplace(call.pid, call.thread);
  return threads;
}

void add_spans(Trace& trace, const Explanation& explanation, const LoadThreads& threads) {
  std::vector<ActivitySpan> spans;
  for (const ActivityWindow& window : explanation.windows) {
    spans.insert(spans.end(), window.spans.begin(), window.spans.end());
  }
  const auto key = [](const ActivitySpan& span) {
    return std::tuple(span.kind, span.cpu, span.pid, span.name);
  };
  for (ActivitySpan& span : joined(std::move(spans), key)) {
    Span shown{.process = kStorage,
               .track = 1,
               .start_ns = span.start_ns,
               .end_ns = span.end_ns,
               .name = span.name.empty() ? span.kind : span.name,
               .category = span.kind};
    const auto thread = threads.find(span.pid);
    if (span.kind == "block_io") {
      trace.name_track(kStorage, 1, "requests");
      trace.add_crossing(shown);
    } else if (span.cpu >= 0 && (span.kind == "interrupt" || span.kind == "softirq")) {
      shown.process = kProcessors;
      shown.track = track(static_cast<unsigned>(span.cpu), true);
      trace.name_track(kProcessors, shown.track, fmt::format("interrupts of {}", span.cpu));
      trace.add(std::move(shown));
    } else if (thread != threads.end()) {  // other threads have no slow call, so no track
      shown.process = kLoad;
      shown.track = track(thread->second, false);
      trace.add(std::move(shown));
    }
  }
}

void add_wakes(Trace& trace, const Explanation& explanation) {
  std::map<std::uint32_t, std::string> names;
  std::set<std::tuple<std::uint64_t, int, std::uint32_t, std::uint32_t>> wakes;
  for (const ActivityWindow& window : explanation.windows) {
    for (const ActivityRun& run : window.runs) names[run.pid] = run.name;
    for (const ActivityWake& wake : window.wakes) {
      wakes.emplace(wake.time_ns, wake.cpu, wake.pid, wake.waker_pid);
    }
  }
  for (const auto& [time_ns, cpu, pid, waker_pid] : wakes) {
    if (cpu < 0) continue;
    const int number = track(static_cast<unsigned>(cpu), false);
    trace.name_track(kProcessors, number, fmt::format("processor {}", cpu));
    trace.add_instant({.process = kProcessors,
                       .track = number,
                       .start_ns = time_ns,
                       .end_ns = time_ns,
                       .name = "wakes " + thread_name(names[pid], pid),
                       .category = "wake",
                       .arguments = {{"woken_pid", pid}, {"running_pid", waker_pid}}});
  }
}

// Adds the causes of a call to their own track. Calls that queue behind a slow call share its time,
// which is shown once.
void add_causes(Trace& trace, const ExplainedCall& call, std::uint64_t& shown_until_ns) {
  for (const CallSlice& slice : call.slices) {
    const std::uint64_t start_ns = std::max(slice.start_ns, shown_until_ns);
    if (slice.end_ns <= start_ns) continue;
    const std::string who = slice.name.empty() ? "" : ": " + thread_name(slice.name, slice.pid);
    trace.add({.process = kLoad,
               .track = track(call.thread, true),
               .start_ns = start_ns,
               .end_ns = slice.end_ns,
               .name = slice.cause + who,
               .category = slice.cause,
               .arguments = {{"detail", slice.detail}, {"sequence", call.sequence}}});
    shown_until_ns = slice.end_ns;
  }
}

// Adds the kernel's functions in which the call was. Most results have none.
void add_kernel_functions(Trace& trace, const ExplainedCall& call) {
  if (!call.functions) return;
  const auto number = static_cast<int>(call.thread + 1);
  trace.name_process(kKernel, "kernel's functions, recorded");
  trace.name_track(kKernel, number, fmt::format("thread {}", call.thread));
  for (const FunctionStep& step : call.functions->steps) {
    trace.add({.process = kKernel,
               .track = number,
               .start_ns = step.start_ns,
               .end_ns = step.end_ns,
               .name = step.name.empty() ? "not known" : step.name,
               .category = "function",
               .arguments = {{"sequence", call.sequence}}});
  }
}

void add_calls(Trace& trace, const Explanation& explanation) {
  std::vector<const ExplainedCall*> calls;
  for (const ExplainedCall& call : explanation.calls) calls.push_back(&call);
  std::sort(calls.begin(), calls.end(), [](const ExplainedCall* a, const ExplainedCall* b) {
    return std::tie(a->thread, a->start_ns) < std::tie(b->thread, b->start_ns);
  });
  std::map<unsigned, std::uint64_t> shown_until_ns;
  for (const ExplainedCall* const each : calls) {
    const ExplainedCall& call = *each;
    const int number = track(call.thread, false);
    trace.name_track(kLoad, number, fmt::format("calls of thread {}", call.thread));
    trace.name_track(kLoad, track(call.thread, true), fmt::format("causes {}", call.thread));
    trace.add({.process = kLoad,
               .track = number,
               .start_ns = call.start_ns,
               .end_ns = call.end_ns,
               .name = fmt::format("call {}", call.sequence),
               .category = "call",
               .arguments = {{"sequence", call.sequence},
                             {"service_ns", call.end_ns - call.start_ns},
                             {"response_ns", call.end_ns - call.intended_ns},
                             {"slow_service", call.slow_service},
                             {"slow_response", call.slow_response}}});
    add_causes(trace, call, shown_until_ns[call.thread]);
    add_kernel_functions(trace, call);
  }
}

// Adds where the threads were at each sample around the calls: a track for each thread.
void add_functions(Trace& trace, const Profile& profile) {
  const auto name_of = [&profile](std::uint32_t place) {
    return place < profile.functions.size() ? profile.functions[place].name : std::string("?");
  };
  for (const ProfileSample& mark : profile.marks) {
    if (mark.functions.empty()) continue;
    Json stack = Json::array();
    for (const std::uint32_t place : mark.functions) stack.push_back(name_of(place));
    const auto number = static_cast<int>(mark.pid);
    trace.name_track(kFunctions, number, thread_name(mark.role, mark.pid));
    trace.add_instant({.process = kFunctions,
                       .track = number,
                       .start_ns = mark.time_ns,
                       .end_ns = mark.time_ns,
                       .name = name_of(mark.functions.back()),
                       .category = "sample",
                       .arguments = {{"cpu", mark.cpu}, {"stack", std::move(stack)}}});
  }
}

std::string render_perfetto(const Result& result, const ExportOptions&) {
  Trace trace;
  trace.name_process(kProcessors, "processors");
  trace.name_process(kLoad, "load");
  trace.name_process(kStorage, "storage");
  trace.name_process(kFunctions, "functions, sampled");
  bool any = false;
  for (const Trial& trial : result.traced) {
    if (!trial.explanation || trial.explanation->calls.empty()) continue;
    any = true;
    add_calls(trace, *trial.explanation);
    add_spans(trace, *trial.explanation, load_threads(*trial.explanation));
    add_runs(trace, *trial.explanation);
    add_wakes(trace, *trial.explanation);
    if (trial.explanation->profile) add_functions(trace, *trial.explanation->profile);
  }
  if (!any) {
    throw Error("the result holds no explained calls, so there is nothing to trace",
                "run again with --explain");
  }
  const Json document = {{"displayTimeUnit", "ns"},
                         {"otherData",
                          {{"tailgate_version", result.build.version},
                           {"tailgate_run", result.id},
                           {"machine", result.machine.fingerprint},
                           {"scenario", result.scenario.name},
                           {"sink", result.sink.label},
                           {"label", result.label}}},
                         {"traceEvents", std::move(trace).finish()}};
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

constinit const Exporter exporters::perfetto = exporter_of<render_perfetto, Form::json>(
    "perfetto", "trace of the slowest calls for ui.perfetto.dev", ".perfetto.json");

}  // namespace tailgate
