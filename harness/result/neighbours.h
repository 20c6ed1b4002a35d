// The part of the schema that says who else used the machine during a trial.
// harness/result/result.h says how these structs become files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tailgate {

// Processes of one name.
struct NeighbourUse {
  std::string name;
  double cpu_share = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("name", &NeighbourUse::name,
      "the program's name, up to 15 bytes; of the kernel's threads the part before '/'");
    v("cpu_share", &NeighbourUse::cpu_share,
      "processor time of all processes of that name / observed_ns: 1 is one whole processor");
  }
};

struct Neighbours {
  std::uint64_t observed_ns = 0;
  std::vector<NeighbourUse> processes;
  std::optional<std::uint64_t> stolen_ns;
  std::optional<std::uint64_t> taken_ns;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("observed_ns", &Neighbours::observed_ns,
      "from before the idle observation (noise) until the load ended (duration)");
    v("processes", &Neighbours::processes,
      "those that used most, the largest first, the kernel's threads among them, which may work "
      "for "
      "the sink; without tailgate, the session's daemons, and processes that began and ended in "
      "between");
    v("stolen_ns", &Neighbours::stolen_ns,
      "what the hypervisor took from the load's processors together in that time, in steps of "
      "10 ms; absent if the system does not count it, or the load is not bound to processors");
    v("taken_ns", &Neighbours::taken_ns,
      "what others took from each load thread while the recorded load ran, at least: it was ready "
      "to run, and neither it nor a process of the trial had its processor; absent if the system "
      "does not count it");
  }
};

// Who kept the machine busy in these trials, by mean share of a processor: at most three that used
// a twentieth or more, the largest first. "the hypervisor" may be one of them.
std::vector<NeighbourUse> notable_neighbours(const std::vector<const Neighbours*>& trials);

// Their names: "cc1plus", "cc1plus and dpkg", "cc1plus, dpkg and ld"; empty for none.
std::string names_of(const std::vector<NeighbourUse>& uses);

// The names of those who kept the machine busy in these trials, or "others" where none is known.
std::string takers_of(const std::vector<const Neighbours*>& trials);

}  // namespace tailgate
