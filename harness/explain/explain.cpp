#include "harness/explain/explain.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "harness/base/mark_longest.h"
#include "harness/explain/activity_window.h"
#include "harness/explain/call_cutter.h"
#include "harness/explain/function_steps.h"
#include "harness/explain/tail.h"

namespace tailgate::activity {
namespace {

// The slowest calls to list, by service time and by response time each.
constexpr std::size_t kMaxListedCalls = 24;
constexpr std::size_t kMaxSlices = 64;
constexpr std::size_t kMaxWindows = 8;
constexpr Ticks kWindowMarginNs = 200'000;

// A call that is in a tail, or listed, or both.
struct Slow {
  SlowCall call;
  bool service = false;   // in the tail of service times
  bool response = false;  // in the tail of response times
  bool listed = false;
};

std::uint64_t service_of(const SlowCall& call) {
  return call.end_ns - call.start_ns;
}

std::uint64_t response_of(const SlowCall& call) {
  return call.end_ns - call.intended_ns;
}

// Returns the slowest calls, whether or not they are in a tail: with few events a tail has only one
// or two calls.
std::vector<SlowCall> slowest(std::vector<SlowCall> calls, std::uint64_t (*time)(const SlowCall&)) {
  const auto end =
      calls.begin() + static_cast<std::ptrdiff_t>(std::min(calls.size(), kMaxListedCalls));
  std::partial_sort(calls.begin(), end, calls.end(),
                    [time](const SlowCall& a, const SlowCall& b) { return time(a) > time(b); });
  calls.erase(end, calls.end());
  return calls;
}

// Where a tail begins, and how many of the histogram's calls lie in it.
struct Threshold {
  Threshold(const Histogram& histogram, double quantile) {
    const std::uint64_t value = histogram.value_at_quantile(quantile);
    const HistogramLayout& layout = histogram.layout();
    ns = layout.lowest_equivalent(std::min(layout.index_of(value), layout.count_slots() - 1));
    calls = histogram.count_between(ns, histogram.max());
  }
  std::uint64_t ns = 0;
  std::uint64_t calls = 0;
};

class Explainer {
 public:
  Explainer(const Timeline& timeline, const ExplainRequest& request)
      : timeline_(timeline),
        request_(request),
        service_(request.service, request.quantile),
        response_(request.response, request.quantile),
        service_tail_(request.service.value_at_quantile(0.5)),
        response_tail_(request.response.value_at_quantile(0.5)) {
    for (const SlowCall& call : request.slowest) {
      if (service_of(call) >= service_.ns) slow_call(call).service = true;
    }
    for (const SlowCall& call : request.slowest_responses) {
      if (response_of(call) >= response_.ns) slow_call(call).response = true;
    }
    for (const SlowCall& call : slowest(request.slowest, service_of)) {
      slow_call(call).listed = true;
    }
    for (const SlowCall& call : slowest(request.slowest_responses, response_of)) {
      slow_call(call).listed = true;
    }
  }

  Explanation explain() {
    cut_all();
    Explanation explanation;
    explanation.trace = request_.trace;
    if (request_.service.total_count() == 0) return explanation;
    explanation.tails.push_back(report("service", service_, service_tail_));
    explanation.tails.back().functions = service_functions_.report();
    if (!request_.slowest_responses.empty()) {
      explanation.tails.push_back(report("response", response_, response_tail_));
      explanation.tails.back().functions = response_functions_.report();
    }
    if (request_.deliveries && request_.deliveries->delivery.total_count() > 0) {
      explanation.tails.push_back(explain_deliveries(*request_.deliveries));
    }
    list_calls(explanation);
    make_windows(explanation);
    return explanation;
  }

 private:
  Slow& slow_call(const SlowCall& call) {
    Slow& slow = slow_[{call.thread, call.sequence}];
    slow.call = call;
    return slow;
  }

  std::uint32_t os_thread(unsigned thread) const {
    return thread < request_.threads.size() ? request_.threads[thread] : 0;
  }

  CallCutter make_cutter() const {
    return CallCutter(timeline_, {.begin = static_cast<Ticks>(request_.trace.start_ns),
                                  .end = static_cast<Ticks>(request_.trace.end_ns),
                                  .system_calls = request_.trace.system_calls});
  }

  // Cuts each slow delivery into its call and the event's path from the call's return to the
  // reader. Of a call that was not kept, the return is estimated: a median service time after its
  // start.
  ExplainedTail explain_deliveries(const ExplainedDeliveries& deliveries) {
    const Threshold threshold(deliveries.delivery, request_.quantile);
    Tail tail(deliveries.delivery.value_at_quantile(0.5));
    CallCutter cutter = make_cutter();
    DeliveryPath path(timeline_, cutter, deliveries.carriers);
    const std::uint64_t usual = request_.service.value_at_quantile(0.5);
    for (const SlowDelivery& one : deliveries.slowest) {
      const bool traced = one.seen_ns <= request_.trace.end_ns;
      if (!traced || one.seen_ns - one.start_ns < threshold.ns) continue;
      const auto known = slow_.find({one.thread, one.sequence});
      const std::uint64_t returned =
          known == slow_.end() ? one.start_ns + usual : known->second.call.end_ns;
      const auto start = static_cast<Ticks>(one.start_ns);
      const auto seen = static_cast<Ticks>(one.seen_ns);
      const Ticks sent = std::min(static_cast<Ticks>(returned), seen);
      std::vector<Slice> slices = cutter.cut({.thread = os_thread(one.thread),
                                              .intended = start,
                                              .start = start,
                                              .end = sent,
                                              .usual = static_cast<Ticks>(usual)});
      std::vector<Slice> way = path.cut(sent, seen);
      std::move(way.begin(), way.end(), std::back_inserter(slices));
      tail.add(slices, start);
    }
    return report("delivery", threshold, tail);
  }

  // A call that started late has many slices, so each call's slices are summed up and then dropped.
  void cut_all() {
    CallCutter cutter = make_cutter();
    const auto usual = static_cast<Ticks>(request_.service.value_at_quantile(0.5));
    for (const auto& [key, slow] : slow_) {
      const SlowCall& call = slow.call;
      const double lag_s = static_cast<double>(call.start_ns - call.intended_ns) / 1e9;
      const double before =
          std::ceil(lag_s * request_.thread_rate_hz) + static_cast<double>(request_.burst_events);
      const std::vector<Slice> slices =
          cutter.cut({.thread = os_thread(call.thread),
                      .processor = call.cpu,
                      .intended = static_cast<Ticks>(call.intended_ns),
                      .start = static_cast<Ticks>(call.start_ns),
                      .end = static_cast<Ticks>(call.end_ns),
                      .usual = usual,
                      .catch_up = static_cast<Ticks>(before) * usual});
      const std::vector<FunctionStay> stays = function_stays(
          timeline_, os_thread(call.thread), slices, static_cast<Ticks>(call.start_ns));
      if (slow.service) service_tail_.add(slices, static_cast<Ticks>(call.start_ns));
      if (slow.service) service_functions_.add(stays);
      if (slow.response) response_tail_.add(slices, static_cast<Ticks>(call.intended_ns));
      if (slow.response) response_functions_.add(stays);
      if (!slow.listed) continue;
      listed_.push_back(describe(slow, slices));
      listed_.back().functions = longest_stays(stays);
    }
  }

  ExplainedTail report(const char* measure, const Threshold& threshold, const Tail& tail) const {
    ExplainedTail report;
    report.measure = measure;
    report.quantile = request_.quantile;
    report.threshold_ns = threshold.ns;
    tail.report(report);
    report.calls_missing = threshold.calls - std::min(threshold.calls, report.calls);
    return report;
  }

  void list_calls(Explanation& explanation) {
    const auto response = [](const ExplainedCall& call) { return call.end_ns - call.intended_ns; };
    explanation.calls_left_out = slow_.size() - listed_.size();
    explanation.calls = std::move(listed_);
    std::stable_sort(explanation.calls.begin(), explanation.calls.end(),
                     [response](const ExplainedCall& a, const ExplainedCall& b) {
                       return response(a) > response(b);
                     });
  }

  ExplainedCall describe(const Slow& slow, const std::vector<Slice>& slices) const {
    ExplainedCall call;
    call.thread = slow.call.thread;
    call.pid = os_thread(slow.call.thread);
    call.sequence = slow.call.sequence;
    call.intended_ns = slow.call.intended_ns;
    call.start_ns = slow.call.start_ns;
    call.end_ns = slow.call.end_ns;
    call.cpu = slow.call.cpu;
    call.slow_service = slow.service;
    call.slow_response = slow.response;
    const auto start = static_cast<Ticks>(slow.call.start_ns);
    const std::vector<bool> listed = mark_listed(slices, start);
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const Slice& slice = slices[i];
      if (!listed[i]) {
        ++call.slices_left_out;
        call.left_out_ns += static_cast<std::uint64_t>(slice.end - slice.begin);
        continue;
      }
      call.slices.push_back({.start_ns = static_cast<std::uint64_t>(slice.begin),
                             .end_ns = static_cast<std::uint64_t>(slice.end),
                             .cause = std::string(cause_name(slice.cause)),
                             .name = slice.name,
                             .pid = slice.thread,
                             .detail = slice.detail});
    }
    return call;
  }

  // Marks the slices to list, the longest before the call's start and the longest after it. A long
  // lag has many slices; they must not displace those of the call, so either fills at most half.
  static std::vector<bool> mark_listed(const std::vector<Slice>& slices, Ticks start) {
    const auto length = [](const Slice& slice) { return slice.end - slice.begin; };
    const auto of_call = std::partition_point(
        slices.begin(), slices.end(), [start](const Slice& slice) { return slice.end <= start; });
    std::vector<bool> listed = mark_longest(slices.begin(), of_call, kMaxSlices / 2, length);
    const std::vector<bool> rest = mark_longest(of_call, slices.end(), kMaxSlices / 2, length);
    listed.insert(listed.end(), rest.begin(), rest.end());
    return listed;
  }

  // Adds windows around the listed calls, longest service time first; no two windows overlap.
  void make_windows(Explanation& explanation) const {
    std::vector<const ExplainedCall*> calls;
    for (const ExplainedCall& call : explanation.calls) calls.push_back(&call);
    std::stable_sort(calls.begin(), calls.end(), [](const auto* a, const auto* b) {
      return a->end_ns - a->start_ns > b->end_ns - b->start_ns;
    });
    std::vector<std::pair<Ticks, Ticks>> taken;
    for (const ExplainedCall* call : calls) {
      if (explanation.windows.size() == kMaxWindows) break;
      const Ticks begin = std::max<Ticks>(0, static_cast<Ticks>(call->start_ns) - kWindowMarginNs);
      const Ticks end = static_cast<Ticks>(call->end_ns) + kWindowMarginNs;
      const bool overlaps = std::any_of(taken.begin(), taken.end(), [&](const auto& other) {
        return begin < other.second && end > other.first;
      });
      if (overlaps) continue;
      taken.emplace_back(begin, end);
      explanation.windows.push_back(activity_window(timeline_, request_.threads, begin, end));
      explanation.windows.back().thread = call->thread;
      explanation.windows.back().sequence = call->sequence;
    }
  }

  const Timeline& timeline_;
  const ExplainRequest& request_;
  Threshold service_;
  Threshold response_;
  Tail service_tail_;
  Tail response_tail_;
  FunctionTimes service_functions_;
  FunctionTimes response_functions_;
  std::vector<ExplainedCall> listed_;
  std::map<std::pair<unsigned, std::uint64_t>, Slow> slow_;
};

}  // namespace

Explanation explain(const Timeline& timeline, const ExplainRequest& request) {
  return Explainer(timeline, request).explain();
}

}  // namespace tailgate::activity
