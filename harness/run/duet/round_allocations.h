// Follows what both sides of a round allocate in its turns.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/explain/difference.h"
#include "harness/os/clock.h"
#include "harness/profile/sampler.h"
#include "harness/run/duet/duet_round.h"

namespace tailgate {

class RoundAllocations {
 public:
  // Starts. The round has begun. Throws Error if allocations cannot be followed here.
  RoundAllocations(const Round& round, const Clock& clock);

  // Call it when the turns are over, while the processes still exist.
  void stop();

  // Call it once, after stop(). Nothing: not all of them were seen, which limits() says.
  std::optional<activity::RoundAmounts> amounts();

  const std::vector<std::string>& limits() const { return limits_; }

 private:
  std::optional<activity::SideAmounts> side_amounts(profile::StackSampler& sampler);
  void add_limit(const std::string& limit);

  std::unique_ptr<profile::StackSampler> a_;
  std::unique_ptr<profile::StackSampler> b_;
  std::vector<std::string> limits_;
};

}  // namespace tailgate
