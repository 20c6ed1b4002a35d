// Why slow calls were slow, as text for a terminal of 80 columns.
//
// For each step that has explained trials: the share of each cause in the excess time of the slow
// calls, the threads and interrupts that took most of it, the functions in which the load and the
// daemons spent their time, timelines of the calls with the longest service time, how the trace was
// made, what it lost, and by how much it changed the times.

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "harness/base/mark_longest.h"
#include "harness/report/cause_words.h"
#include "harness/report/exporter.h"
#include "harness/report/human.h"
#include "harness/report/merged_profile.h"
#include "harness/report/merged_tails.h"
#include "harness/report/painter.h"
#include "harness/report/profile_text.h"

namespace tailgate {
namespace {

constexpr std::size_t kMaxCulprits = 8;
constexpr std::size_t kMaxSlices = 12;  // and stays in functions, of a call
constexpr std::size_t kMaxFunctions = 10;

std::string share_of(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string function_name(const std::string& name) {
  return name.empty() ? "not known" : name;
}

// The functions that took most of the time, and the sum of the others.
std::string functions_text(const TailFunctions& functions) {
  std::string text = fmt::format("    {:<36}{:>9}{:>11}{:>11}{:>8}\n", "the kernel's functions",
                                 "share", "entries", "time", "calls");
  std::uint64_t all_ns = functions.left_out_ns;
  for (const FunctionTime& one : functions.functions) all_ns += one.time_ns;
  std::uint64_t others_ns = all_ns;
  for (std::size_t i = 0; i < std::min(functions.functions.size(), kMaxFunctions); ++i) {
    const FunctionTime& one = functions.functions[i];
    others_ns -= one.time_ns;
    text += fmt::format("      {:<34}{:>9}{:>11}{:>11}{:>8}\n", cut_to(function_name(one.name), 33),
                        share_of(one.time_ns, all_ns), one.entries, human_duration(one.time_ns),
                        one.calls);
  }
  if (others_ns == 0) return text;
  return text + fmt::format("      {:<34}{:>9}{:>11}{:>11}\n", "others",
                            share_of(others_ns, all_ns), "", human_duration(others_ns));
}

std::string tail_text(const ExplainedTail& tail) {
  std::string text =
      fmt::format("\n  {} time, p{:g} and beyond: {} calls of {} or more, usual {}\n", tail.measure,
                  tail.quantile * 100, human_count(tail.calls), human_duration(tail.threshold_ns),
                  human_duration(tail.usual_ns));
  if (tail.calls_missing > 0) {
    const char* const why = tail.measure == "delivery"
                                ? "seen after the trace's end, or no room to record them"
                                : "there was no room to record them";
    text += fmt::format("  {} more calls are missing: {}\n", tail.calls_missing, why);
  }
  text += fmt::format("    {:<36}{:>9}{:>11}{:>11}{:>8}\n", "cause", "share", "excess", "time",
                      "calls");
  for (const CauseTime& cause : tail.causes) {
    text += fmt::format("    {:<36}{:>9}{:>11}{:>11}{:>8}\n", words_for_cause(cause.cause),
                        share_of(cause.excess_ns, tail.excess_ns), human_duration(cause.excess_ns),
                        human_duration(cause.time_ns), cause.calls);
  }
  text += fmt::format("    {:<36}{:>9}{:>11}{:>11}\n", "together", "",
                      human_duration(tail.excess_ns), human_duration(tail.time_ns));
  if (!tail.culprits.empty()) text += "    who, by time:\n";
  const std::size_t listed = std::min(tail.culprits.size(), kMaxCulprits);
  for (std::size_t i = 0; i < listed; ++i) {
    const Culprit& culprit = tail.culprits[i];
    const std::string pid = culprit.pid == 0 ? "" : fmt::format(" ({})", culprit.pid);
    text +=
        fmt::format("      {:<15}{:<39}{:>11}{:>8}\n", cut_to(culprit.cause, 14),
                    cut_to(culprit.name + pid, 38), human_duration(culprit.time_ns), culprit.calls);
  }
  return tail.functions ? text + functions_text(*tail.functions) : text;
}

// A line for a part of a call: when, how long, what it was and who did it.
template <class Part>
std::string part_line(const Part& part, const ExplainedCall& call, const std::string& what,
                      const std::string& who) {
  const bool before = part.start_ns < call.start_ns;
  const std::uint64_t apart =
      before ? call.start_ns - part.start_ns : part.start_ns - call.start_ns;
  std::string words = fmt::format("{:<15}{}", cut_to(what, 14), cut_to(who, kColumns - 41));
  words.erase(words.find_last_not_of(' ') + 1);
  return fmt::format("    {:>10}{:>10}  {}\n", (before ? "-" : "+") + human_duration(apart),
                     human_duration(part.end_ns - part.start_ns), words);
}

std::string slice_line(const CallSlice& slice, const ExplainedCall& call) {
  std::string who = slice.name;
  if (slice.pid != 0) who += fmt::format(" ({})", slice.pid);
  if (!slice.detail.empty()) who += (who.empty() ? "" : ", ") + slice.detail;
  return part_line(slice, call, slice.cause, who);
}

std::string step_line(const FunctionStep& step, const ExplainedCall& call) {
  return part_line(step, call, "function", function_name(step.name));
}

// The longest parts in order of time, and the number of those that are shorter or left out.
template <class Part, class Line>
std::string longest_parts(const ExplainedCall& call, const std::vector<Part>& parts,
                          std::uint64_t left_out, std::uint64_t left_out_ns, const char* shorter,
                          Line line) {
  const auto length_ns = [](const Part& part) { return part.end_ns - part.start_ns; };
  const std::vector<bool> shown = mark_longest(parts.begin(), parts.end(), kMaxSlices, length_ns);
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (shown[i]) {
      text += line(parts[i], call);
      continue;
    }
    ++left_out;
    left_out_ns += length_ns(parts[i]);
  }
  if (left_out == 0) return text;
  return text + fmt::format("              {:>8}  in {} shorter {}\n", human_duration(left_out_ns),
                            left_out, shorter);
}

// A call's longest slices, and the functions in which it was longest.
std::string call_text(const ExplainedCall& call, unsigned trial) {
  std::string text =
      fmt::format("\n  trial {}, event {} of thread {}: service {}, response {}\n", trial,
                  call.sequence, call.thread, human_duration(call.end_ns - call.start_ns),
                  human_duration(call.end_ns - call.intended_ns));
  text += longest_parts(call, call.slices, call.slices_left_out, call.left_out_ns, "slices",
                        slice_line);
  if (!call.functions) return text;
  return text + longest_parts(call, call.functions->steps, call.functions->steps_left_out,
                              call.functions->left_out_ns, "stays in functions", step_line);
}

std::string worst_calls(const std::vector<const Trial*>& trials, std::size_t count) {
  std::vector<std::pair<const ExplainedCall*, unsigned>> calls;
  for (const Trial* trial : trials) {
    for (const ExplainedCall& call : trial->explanation->calls) {
      calls.emplace_back(&call, trial->index);
    }
  }
  std::stable_sort(calls.begin(), calls.end(), [](const auto& a, const auto& b) {
    return a.first->end_ns - a.first->start_ns > b.first->end_ns - b.first->start_ns;
  });
  if (calls.size() > count) calls.resize(count);
  std::string text;
  for (const auto& [call, trial] : calls) text += call_text(*call, trial);
  if (text.empty()) return "";
  return "\n  the worst calls: time from the call's start, duration, cause\n" + text;
}

std::string trace_text(const std::vector<const Trial*>& trials) {
  std::uint64_t records = 0;
  std::uint64_t lost = 0;
  unsigned incomplete = 0;
  std::set<std::string> methods;
  std::set<std::string> limits;
  for (const Trial* trial : trials) {
    const TraceUsed& trace = trial->explanation->trace;
    records += trace.records;
    for (const TraceLoss& loss : trace.losses) lost += loss.records;
    incomplete += trace.complete ? 0 : 1;
    methods.insert(trace.method);
    if (!trace.limits.empty()) limits.insert(trace.limits);
  }
  std::string text;
  for (const std::string& method : methods) text += (text.empty() ? "" : ", ") + method;
  text = paragraph(fmt::format("traced by {}: {} {}, {} records, {} lost", text, trials.size(),
                               trials.size() == 1 ? "trial" : "trials", human_count(records),
                               human_count(lost)));
  if (incomplete > 0) {
    text +=
        paragraph(fmt::format("the trace of {} {} is not complete: what is missing counts as "
                              "'not traced'",
                              incomplete, incomplete == 1 ? "trial" : "trials"));
  }
  for (const std::string& limit : limits) text += paragraph("not seen: " + limit);
  return text;
}

std::string noise_text(const std::vector<const Trial*>& trials) {
  double share = 0;
  std::size_t watched = 0;
  for (const Trial* trial : trials) {
    if (trial->noise.observed_ns == 0) continue;
    share += trial->noise.lost_share;
    ++watched;
  }
  if (watched == 0) {
    return paragraph(
        "the idle processor was not observed, so the machine's own gaps are unknown; leave "
        "--noise-s at its default");
  }
  return paragraph(fmt::format(
      "an idle spin loop just before the load lost {:.2f} % of its time in gaps over 10 us",
      100 * share / static_cast<double>(watched)));
}

std::string disturbance_text(const Result& result, unsigned step) {
  std::string text;
  for (const Disturbance& one : result.disturbance) {
    if (one.step != step) continue;
    std::string cells;
    for (const QuantileShift& shift : one.quantiles) {
      cells += fmt::format("{}p{:g} {} to {}", cells.empty() ? "" : ", ", shift.quantile * 100,
                           human_duration(shift.untraced_ns), human_duration(shift.traced_ns));
    }
    text += paragraph(fmt::format("the trace changed {} times: {}", one.measure, cells));
  }
  return text;
}

std::string render_explanation(const Result& result, const ExportOptions& options) {
  std::string text =
      cut_to(fmt::format("{}@{}", result.scenario.name, result.sink.label), kColumns) + "\n";
  bool any = false;
  for (const StepSummary& step : result.summary) {
    const std::vector<const Trial*> trials = explained_trials(result, step.step);
    if (trials.empty()) continue;
    any = true;
    text += fmt::format("  at {} events/s\n", step.rate_hz > 0 ? human_rate(step.rate_hz) : "max");
    text += trace_text(trials) + noise_text(trials) + disturbance_text(result, step.step);
    for (const ExplainedTail& tail : merged_tails(result, step.step)) text += tail_text(tail);
    if (const auto profile = merged_profile(result, step.step)) text += profile_text(*profile);
    text += worst_calls(trials, options.calls);
  }
  if (any) return text;
  return text + "  no trial was traced: run it with --explain\n";
}

}  // namespace

constinit const Exporter exporters::explain_text = exporter_of<render_explanation, Form::text>(
    "explain", "why slow calls were slow, as the terminal shows it", ".explain.txt");

}  // namespace tailgate
