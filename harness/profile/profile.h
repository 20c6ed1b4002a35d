// Sums up samples by role, by function and by slow call.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/profile/samples.h"
#include "harness/result/explanation.h"
#include "harness/result/result.h"

namespace tailgate::profile {

struct ProfileRequest {
  std::uint64_t begin_ns = 0;  // of the recorded load
  std::uint64_t end_ns = 0;
  std::vector<std::uint32_t> threads = {};       // the load's, by the system's ids
  std::vector<SlowCall> slowest = {};            // calls with the longest service times
  std::vector<SlowCall> slowest_responses = {};  // with the longest response times
};

// explanation: of the same trial. Its tails say from which time on a call is slow, its windows and
// calls which samples are listed one by one.
Profile make_profile(const Samples& samples, const Explanation& explanation,
                     const ProfileRequest& request);

// The profile of a trial that was not sampled, which says why not and what to do.
Profile no_profile(const std::string& why_not);

}  // namespace tailgate::profile
