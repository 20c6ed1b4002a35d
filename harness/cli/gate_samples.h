// `tailgate gate --from FORMAT`: the verdict on what another benchmark measured.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/cli/command_line.h"
#include "harness/gate/policy.h"
#include "harness/result/verdict.h"

namespace tailgate {

struct SampleGateRequest {
  std::string from = {};                      // the files' format; empty: they are duets
  std::vector<std::filesystem::path> a = {};  // or both sides as two paths, a file each
  std::vector<std::filesystem::path> b = {};
  std::string margin = {};  // as parse_margin reads it, also of commands; empty: the default
  std::vector<std::string> metrics = {};  // SampleComparison::metrics
};

// Adds --from, --a, --b, --margin and --metric.
void add_sample_options(Command& command, SampleGateRequest& request);

// "5%" and "0.05" -> 0.05; empty -> kSampleMargin. Throws UsageError unless it is above 0 and
// at most 1000 %.
double parse_margin(const std::string& text);

// Reads the files and judges them. paths: those without an option. Throws UsageError for a format
// that does not exist, for sides without files, and for files that cannot be read.
Verdict judge_sample_files(const SampleGateRequest& request,
                           const std::vector<std::filesystem::path>& paths, const Policy& policy);

}  // namespace tailgate
