// The duets of a gate of two revisions: what a policy's runs and a project's benchmarks come to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/gate/policy.h"
#include "harness/project/project.h"

namespace tailgate {

// A duet to run: of a sink under a scenario, or of a benchmark.
struct PlannedDuet {
  std::string scenario;   // or the benchmark's name
  std::string sink = {};  // as in the policy; empty: a benchmark
  std::vector<std::string> set = {};
  std::optional<unsigned> generation_rounds = {};
  const ProjectBenchmark* benchmark = nullptr;
  std::string file = {};  // its name

  // What distinguishes it from others of the same scenario and sink: "name=value".
  std::vector<std::string> told_apart_by() const;
  std::string text() const;
  // With the names by which a policy knows its sink and scenario.
  DuetSubject subject() const;
};

// nightly: those of nights alone, too. Throws Error if there is none, or for a sink, a margin or
// calls that the project cannot have. The project must outlive them.
std::vector<PlannedDuet> plan_duets(const Project& project, const Policy& policy, bool nightly);

}  // namespace tailgate
