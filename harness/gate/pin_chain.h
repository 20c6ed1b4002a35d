// What moving the nights' reference cost: for every move, machine and duet the measured ratios of
// the new reference to the old one. So a move forgives nothing: the nights add up what all of them
// changed since the first one.
//
//   [[link]]                                  [[link.metric]]
//   from = "4f2a9c1…"                         name = "response_ns_p50"
//   to = "6cfd74e…"                           ratio = [1.031, 1.028, 1.034]
//   date = 2026-11-25                         accepted = "events carry a checksum"
//   machine = "520525688352812b"
//   scenario = "steady"
//   sink = "file"
//   set = "rate_hz=20000"
//   rounds = 30
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/gate/policy.h"
#include "harness/result/verdict.h"

namespace tailgate {

// The duet that a link was measured by.
struct PinDuet {
  std::string machine;   // its fingerprint
  std::string scenario;  // as in the policy; of a benchmark its name
  std::string sink;      // likewise; empty for a benchmark
  std::string set;       // the scenario's settings, "name=value", by spaces

  bool operator==(const PinDuet&) const = default;
};

struct PinRatio {
  std::string metric;
  double ratio = 1;  // of the new reference to the old one
  double low = 1;    // its 95 % interval
  double high = 1;
  std::string accepted;  // why it does not count; empty: it counts
};

struct PinLink {
  std::string from;  // full hashes
  std::string to;
  std::string date;  // YYYY-MM-DD, when it was measured
  PinDuet duet;
  std::size_t rounds = 0;
  std::vector<PinRatio> ratios;
};

class PinChain {
 public:
  PinChain() = default;

  // Throws Error for two references before one, and for one that is before itself.
  explicit PinChain(std::vector<PinLink> links);

  // Adds a link, in place of one between the same references of the same duet. Throws likewise.
  void add(PinLink link);

  // What all moves up to `pin` changed for one duet.
  PinHistory history(const std::string& pin, const PinDuet& duet) const;

  const std::vector<PinLink>& links() const { return links_; }

 private:
  std::vector<PinLink> links_;
};

// The ratios that a verdict measured, of its gated metrics. A change is accepted that a waiver
// covers.
std::vector<PinRatio> ratios_of(const Verdict& verdict);

// Reads a file; one that does not exist has no link. Throws Error with "FILE:LINE: " in front for
// anything that is not TOML or does not fit, and like PinChain().
PinChain load_pin_chain(const std::filesystem::path& file);
PinChain parse_pin_chain(std::string_view text, const std::string& origin);

// The whole file; parse_pin_chain reads it back.
std::string pin_chain_text(const PinChain& chain);

}  // namespace tailgate
