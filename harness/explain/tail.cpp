#include "harness/explain/tail.h"

#include <algorithm>
#include <numeric>

namespace tailgate::activity {
namespace {

constexpr std::size_t kMaxCulprits = 20;

using Times = std::array<std::uint64_t, kCauses>;

// Returns each cause's time excess_over the usual time of a call. The usual time is first
// subtracted from the causes that every call has: its own code, its system calls, the wait behind
// earlier events. What remains of it is subtracted from the other causes in proportion to their
// time.
Times excess_over(Times time, std::uint64_t usual) {
  for (const Cause cause : {Cause::running, Cause::system_call, Cause::queued}) {
    std::uint64_t& own = time[static_cast<std::size_t>(cause)];
    const std::uint64_t off = std::min(usual, own);
    own -= off;
    usual -= off;
  }
  const std::uint64_t left = std::accumulate(time.begin(), time.end(), std::uint64_t{0});
  if (usual >= left) return {};
  const double share = left == 0 ? 0 : static_cast<double>(usual) / static_cast<double>(left);
  for (std::uint64_t& one : time) {
    const auto part = static_cast<std::uint64_t>(static_cast<double>(one) * share);
    const std::uint64_t off = std::min({part, one, usual});
    one -= off;
    usual -= off;
  }
  // Subtract the rest that rounding left.
  for (std::uint64_t& one : time) {
    const std::uint64_t off = std::min(usual, one);
    one -= off;
    usual -= off;
  }
  return time;
}

}  // namespace

void Tail::add(const std::vector<Slice>& slices, Ticks from) {
  std::array<std::uint64_t, kCauses> time{};
  std::set<std::pair<Cause, std::string>> named;
  for (const Slice& slice : slices) {
    const Ticks begin = std::max(slice.begin, from);
    if (slice.end <= begin) continue;
    const auto ns = static_cast<std::uint64_t>(slice.end - begin);
    time[static_cast<std::size_t>(slice.cause)] += ns;
    if (slice.name.empty()) continue;
    const std::pair key(slice.cause, slice.name);
    CulpritSum& culprit = culprits_[key];
    culprit.time_by_thread[slice.thread] += ns;
    if (named.insert(key).second) ++culprit.calls;
  }
  ++calls_;
  const Times excess = excess_over(time, usual_ns_);
  for (std::size_t cause = 0; cause < kCauses; ++cause) {
    time_ns_[cause] += time[cause];
    excess_ns_[cause] += excess[cause];
    calls_by_cause_[cause] += time[cause] > 0 ? 1 : 0;
  }
}

void Tail::report(ExplainedTail& tail) const {
  tail.usual_ns = usual_ns_;
  tail.calls = calls_;
  tail.time_ns = std::accumulate(time_ns_.begin(), time_ns_.end(), std::uint64_t{0});
  tail.excess_ns = std::accumulate(excess_ns_.begin(), excess_ns_.end(), std::uint64_t{0});
  for (std::size_t cause = 0; cause < kCauses; ++cause) {
    if (time_ns_[cause] == 0) continue;
    tail.causes.push_back({std::string(cause_name(static_cast<Cause>(cause))), time_ns_[cause],
                           excess_ns_[cause], calls_by_cause_[cause]});
  }
  std::stable_sort(tail.causes.begin(), tail.causes.end(), [](const auto& a, const auto& b) {
    return std::pair(a.excess_ns, a.time_ns) > std::pair(b.excess_ns, b.time_ns);
  });
  for (const auto& [key, culprit] : culprits_) {
    Culprit& one = tail.culprits.emplace_back();
    one.cause = cause_name(key.first);
    one.name = key.second;
    one.calls = culprit.calls;
    std::uint64_t most = 0;
    for (const auto& [thread, ns] : culprit.time_by_thread) {
      one.time_ns += ns;
      if (ns <= most) continue;
      most = ns;
      one.pid = thread;
    }
  }
  std::stable_sort(tail.culprits.begin(), tail.culprits.end(),
                   [](const auto& a, const auto& b) { return a.time_ns > b.time_ns; });
  if (tail.culprits.size() > kMaxCulprits) tail.culprits.resize(kMaxCulprits);
}

}  // namespace tailgate::activity
