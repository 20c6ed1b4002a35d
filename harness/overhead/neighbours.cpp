#include "harness/overhead/neighbours.h"

#include <algorithm>
#include <utility>

namespace tailgate {
namespace {

// A process and those that started it, up to the first.
constexpr int kMostAncestors = 64;

bool descends(int pid, const std::map<int, int>& parents, const std::set<int>& from) {
  for (int i = 0; i < kMostAncestors; ++i) {
    if (from.contains(pid)) return true;
    const auto found = parents.find(pid);
    if (found == parents.end() || found->second == pid) return false;
    pid = found->second;
  }
  return false;
}

}  // namespace

void NeighbourWatch::look(const std::vector<ProcessTime>& now, const std::vector<int>& own) {
  for (const int pid : own) {
    if (pid > 0) own_.insert(pid);  // 0 would be everybody's ancestor
  }
  std::map<int, int> parents;
  for (const ProcessTime& process : now) parents[process.pid] = process.parent;
  // A process stays own when the one that started it has ended.
  for (const ProcessTime& process : now) {
    if (descends(process.pid, parents, own_)) own_.insert(process.pid);
  }
  std::map<int, std::uint64_t> now_ns;
  for (const ProcessTime& process : now) {
    now_ns[process.pid] = process.cpu_ns;
    if (!looked_ || own_.contains(process.pid)) continue;
    const auto last = last_ns_.find(process.pid);
    // Less than before: another process has got the number.
    const bool known = last != last_ns_.end() && last->second <= process.cpu_ns;
    used_ns_[process.name] += process.cpu_ns - (known ? last->second : 0);
  }
  last_ns_ = std::move(now_ns);
  looked_ = true;
}

std::vector<Neighbour> NeighbourWatch::largest(std::size_t count) const {
  std::vector<Neighbour> all;
  for (const auto& [name, used_ns] : used_ns_) {
    if (used_ns > 0) all.push_back({name, used_ns});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Neighbour& a, const Neighbour& b) { return a.cpu_ns > b.cpu_ns; });
  all.resize(std::min(all.size(), count));
  return all;
}

}  // namespace tailgate
