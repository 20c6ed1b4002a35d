// Ends a load early that reaches one of the scenario's limits.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/result/early_end.h"
#include "harness/result/overhead.h"

namespace tailgate {

// What a load may reach at most. 0: no limit.
struct EndLimits {
  double grown_bytes = 0;        // memory of program and daemons above that of the first look
  double grown_descriptors = 0;  // their open descriptors, likewise
  double free_bytes = 0;         // that the file system of the trial's folder has left, at least
  double refused_events = 0;     // calls that the sink refused
  double late_s = 0;             // so far is the load behind its schedule

  bool any() const {
    return grown_bytes > 0 || grown_descriptors > 0 || free_bytes > 0 || refused_events > 0 ||
           late_s > 0;
  }
};

// What a look at the trial shows. Nothing: it is not known.
struct EndSigns {
  std::uint64_t at_ns = 0;
  std::optional<std::uint64_t> memory_bytes = {};
  std::optional<std::uint64_t> descriptors = {};
  std::optional<std::uint64_t> free_bytes = {};
  std::uint64_t refused_events = 0;
  double late_s = 0;
};

// The memory and the descriptors of program and daemons together.
void add_levels(const std::vector<RoleUse>& roles, EndSigns& signs);

class EarlyEndWatch {
 public:
  explicit EarlyEndWatch(const EndLimits& limits) : limits_(limits) {}

  // Returns the first limit that is reached. Growth counts from the first look.
  std::optional<EarlyEnd> look(const EndSigns& signs);

 private:
  EndLimits limits_;
  std::optional<EndSigns> first_;
};

}  // namespace tailgate
