#include "harness/run/duet/resume.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "harness/base/error.h"
#include "harness/result/json.h"
#include "harness/trial/result_facts.h"

namespace tailgate {
namespace {

std::string text_of(const Duet& duet) {
  return write_duet(duet);
}

std::string text_of(const CommandDuet& duet) {
  return write_command_duet(duet);
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error(fmt::format("the duet cannot be resumed: {} now", what),
              "measure it anew into another file");
}

template <class AnyDuet, class Field>
void check_same(const AnyDuet& fresh, const AnyDuet& earlier, Field AnyDuet::*field,
                const char* what) {
  AnyDuet one;
  AnyDuet other;
  one.*field = fresh.*field;
  other.*field = earlier.*field;
  if (text_of(one) != text_of(other)) refuse(fmt::format("{} other", what));
}

// Which start of the machine; empty if not known.
std::string boot_of(const Machine& machine) {
  const auto found = std::find_if(machine.details.begin(), machine.details.end(),
                                  [](const Setting& detail) { return detail.name == "boot"; });
  return found == machine.details.end() ? "" : found->value;
}

void check_same_machine(const Machine& fresh, const Machine& earlier) {
  if (fresh.fingerprint != earlier.fingerprint) {
    refuse(fmt::format("the machine or its kernel is another, {} and not {},", fresh.fingerprint,
                       earlier.fingerprint));
  }
  if (boot_of(fresh) != boot_of(earlier))
    refuse("the machine was started anew and is in boot " + boot_of(fresh));
}

template <class AnyDuet>
void check_same_facts(const AnyDuet& fresh, const AnyDuet& earlier) {
  check_same_machine(fresh.machine, earlier.machine);
  check_same(fresh, earlier, &AnyDuet::a, "side A (sink, options, load or build) is");
  check_same(fresh, earlier, &AnyDuet::b, "side B (sink, options, load or build) is");
  check_same(fresh, earlier, &AnyDuet::build, "the program that runs it is");
  check_same(fresh, earlier, &AnyDuet::placement, "the processors are");
  check_same(fresh, earlier, &AnyDuet::seed, "the seed is");
}

template <class AnyDuet>
void take_over(AnyDuet& fresh, const AnyDuet& earlier) {
  const unsigned planned = fresh.planned_rounds;
  fresh = earlier;
  fresh.planned_rounds = planned;
  fresh.complete = false;
  if (fresh.parts) return;
  fresh.parts = {{earlier.started_utc, static_cast<unsigned>(earlier.rounds.size()), true}};
}

template <class AnyDuet>
void add_part(AnyDuet& duet) {
  if (!duet.parts) duet.parts.emplace();
  duet.parts->push_back({utc_now(), static_cast<unsigned>(duet.rounds.size()), false});
}

}  // namespace

void go_on_after(Duet& fresh, const Duet& earlier) {
  // What the sinks granted is known after the first round.
  Duet without_grants = earlier;
  without_grants.a.granted = fresh.a.granted;
  without_grants.b.granted = fresh.b.granted;
  check_same_facts(fresh, without_grants);
  check_same(fresh, earlier, &Duet::turn_ns, "the length of turns is");
  check_same(fresh, earlier, &Duet::turns, "the number of turns is");
  check_same(fresh, earlier, &Duet::warmup_turns, "the number of turns before them is");
  check_same(fresh, earlier, &Duet::dropped_per_turn, "what each turn leaves out is");
  check_same(fresh, earlier, &Duet::long_rounds, "the number of long rounds is");
  check_same(fresh, earlier, &Duet::generation_rounds, "the number of rounds of a generation is");
  check_same(fresh, earlier, &Duet::drain, "the way of draining is");
  take_over(fresh, earlier);
}

void go_on_after(CommandDuet& fresh, const CommandDuet& earlier) {
  check_same_facts(fresh, earlier);
  check_same(fresh, earlier, &CommandDuet::reads, "the figures that are read are");
  check_same(fresh, earlier, &CommandDuet::timeout_s, "the time limit of a run is");
  take_over(fresh, earlier);
}

void begin_part(Duet& duet) {
  add_part(duet);
}

void begin_part(CommandDuet& duet) {
  add_part(duet);
}

}  // namespace tailgate
