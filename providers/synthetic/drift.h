// What each call keeps for good, and how calls become slower: the drifts that a soak must find.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>

#include "harness/base/options.h"

namespace tailgate {

struct DriftPlan {
  explicit DriftPlan(const Options& options)
      : leak_bytes(static_cast<std::uint64_t>(options.integer("leak_bytes"))),
        leak_descriptors_every(
            static_cast<std::uint64_t>(options.integer("leak_descriptors_every"))),
        ns_per_s(options.real("drift_ns_per_s")) {}

  std::uint64_t leak_bytes, leak_descriptors_every;  // 0: none
  double ns_per_s;
};

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using OpenFile = std::unique_ptr<std::FILE, CloseFile>;

}  // namespace tailgate
