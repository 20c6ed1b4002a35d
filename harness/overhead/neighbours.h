// Who else used the machine: the processor time of processes other than tailgate's own, by name.
//
// Each look reads every process that the system shows once, some 20 us each. A process that began
// and ended between two looks is not seen, nor what a process used between the last look and its
// end. So these times are lower bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tailgate {

// A process, the kernel's threads among them. Their names are cut at the '/': each processor's
// "kworker/0:1" is "kworker".
struct ProcessTime {
  int pid = 0;
  int parent = 0;
  std::string name;
  std::uint64_t cpu_ns = 0;  // user and system, since it began
};

// All processes that the system shows to this user, in a container only those of the container.
// Nothing where it does not tell what others use, as under Wine.
// (neighbours_linux.cpp, neighbours_windows.cpp)
std::optional<std::vector<ProcessTime>> process_times();

struct Neighbour {
  std::string name;
  std::uint64_t cpu_ns;  // of all processes of that name together
};

class NeighbourWatch {
 public:
  // self: this program, which is no neighbour, nor is what it starts.
  explicit NeighbourWatch(int self) : own_{self} {}

  // Adds up what was used since the last look; the first one only remembers. own: processes that
  // work for this program although it did not start them; these, and those that they start, are no
  // neighbours.
  void look(const std::vector<ProcessTime>& now, const std::vector<int>& own = {});

  // Those that used most since the first look, largest first; none that used nothing.
  std::vector<Neighbour> largest(std::size_t count) const;

  // Whether the process is this program's own, as far as was seen at the last look.
  bool is_own(int pid) const { return own_.contains(pid); }

 private:
  std::set<int> own_;
  std::map<int, std::uint64_t> last_ns_;  // by process
  std::map<std::string, std::uint64_t> used_ns_;
  bool looked_ = false;
};

}  // namespace tailgate
