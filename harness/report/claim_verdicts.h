// Claims, and what results say on them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/enum_text.h"
#include "harness/gate/claim.h"

namespace tailgate {

enum class ClaimOutcome { holds, does_not_hold, cannot_be_told };
template <>
inline constexpr auto kEnumTexts<ClaimOutcome> =
    enum_texts<ClaimOutcome>({{ClaimOutcome::holds, "holds"},
                              {ClaimOutcome::does_not_hold, "does not hold"},
                              {ClaimOutcome::cannot_be_told, "cannot be told here"}});

// A figure of one run. An end of the interval that is absent is open.
struct ClaimFigure {
  double value = 0;
  std::optional<double> low = {};
  std::optional<double> high = {};
  std::size_t trials = 0;
};

// A figure that a claim is about, and its bounds.
struct ClaimShown {
  std::string metric;
  ClaimUnit unit = ClaimUnit::ns;  // of the figures; the ratio has none
  ClaimFigure figure;
  std::optional<ClaimFigure> than = {};   // of a claim on a ratio: the other run's
  std::optional<ClaimFigure> ratio = {};  // likewise
};

struct ClaimVerdict {
  std::string claim = {};
  std::string source = {};
  std::string means = {};
  std::string run = {};                  // its subject
  std::string than = {};                 // of a claim on a ratio: the other run's
  std::vector<std::string> bounds = {};  // their texts
  std::vector<std::string> files = {};   // of the results that were judged
  std::vector<ClaimShown> shown = {};    // every figure once, even where it decides nothing
  ClaimOutcome outcome = ClaimOutcome::cannot_be_told;
  std::string reason = {};   // of one that cannot be told
  std::string measure = {};  // of one that was not measured and could be: the command
};

struct ClaimVerdicts {
  std::vector<ClaimVerdict> list;
  std::string machine;  // on which the results were measured, empty without any
  std::string measure;  // how to measure what is missing; empty where nothing is

  std::size_t count(ClaimOutcome outcome) const;
};

}  // namespace tailgate
