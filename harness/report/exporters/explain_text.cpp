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
constexpr std::size_t kMaxSlices = 12;

std::string share_of(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
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
  return text;
}

std::string slice_line(const CallSlice& slice, const ExplainedCall& call) {
  const bool before = slice.start_ns < call.start_ns;
  const std::uint64_t apart =
      before ? call.start_ns - slice.start_ns : slice.start_ns - call.start_ns;
  std::string who = slice.name;
  if (slice.pid != 0) who += fmt::format(" ({})", slice.pid);
  if (!slice.detail.empty()) who += (who.empty() ? "" : ", ") + slice.detail;
  std::string what = fmt::format("{:<15}{}", cut_to(slice.cause, 14), cut_to(who, kColumns - 41));
  what.erase(what.find_last_not_of(' ') + 1);
  return fmt::format("    {:>10}{:>10}  {}\n", (before ? "-" : "+") + human_duration(apart),
                     human_duration(slice.end_ns - slice.start_ns), what);
}

// A call's longest slices in order of time, and the number of shorter ones.
std::string call_text(const ExplainedCall& call, unsigned trial) {
  std::string text =
      fmt::format("\n  trial {}, event {} of thread {}: service {}, response {}\n", trial,
                  call.sequence, call.thread, human_duration(call.end_ns - call.start_ns),
                  human_duration(call.end_ns - call.intended_ns));
  std::vector<std::uint64_t> lengths;
  for (const CallSlice& slice : call.slices) lengths.push_back(slice.end_ns - slice.start_ns);
  std::sort(lengths.rbegin(), lengths.rend());
  const std::uint64_t least = lengths.size() > kMaxSlices ? lengths[kMaxSlices - 1] : 0;
  std::uint64_t skipped = call.slices_left_out;
  std::uint64_t skipped_ns = call.left_out_ns;
  for (const CallSlice& slice : call.slices) {
    if (slice.end_ns - slice.start_ns >= least) {
      text += slice_line(slice, call);
      continue;
    }
    ++skipped;
    skipped_ns += slice.end_ns - slice.start_ns;
  }
  if (skipped > 0) {
    text += fmt::format("              {:>8}  in {} shorter slices\n", human_duration(skipped_ns),
                        skipped);
  }
  return text;
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
