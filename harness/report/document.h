// What tailgate shows and exports. An exporter (exporter.h) takes one of these kinds of document.
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "harness/base/enum_text.h"
#include "harness/gate/calibration.h"
#include "harness/gate/calibration_score.h"
#include "harness/gate/judge_budget.h"
#include "harness/report/claim_verdicts.h"
#include "harness/report/recommendation.h"
#include "harness/result/duet.h"
#include "harness/result/result.h"
#include "harness/result/verdict.h"

namespace tailgate {

struct NamedResult {
  std::string name;  // its file
  Result result;
};

using Results = std::vector<NamedResult>;

// Two results that were not measured in duet.
struct ResultPair {
  NamedResult a;
  NamedResult b;
};

struct Comparison {
  std::vector<ResultPair> pairs;
  std::vector<std::string> without_partner = {};  // files of one folder that the other lacks
};

struct Verdicts {
  std::vector<Verdict> list;
};

// A record of runs with a known answer, and what the gate decides on them.
struct CalibrationReport {
  Calibration record;
  std::vector<CalibrationRow> rows;
  std::vector<RelabelledRow> relabelled;
  std::vector<CalibrationScore> scores;
};

// The alternatives are in the order of DocumentKind.
using Document = std::variant<Results, Comparison, Duet, Verdicts, CalibrationReport,
                              BudgetVerdicts, Recommendation, ClaimVerdicts>;

enum class DocumentKind {
  results,
  comparison,
  duet,
  verdicts,
  calibration,
  budgets,
  recommendation,
  claims
};

inline DocumentKind kind_of(const Document& document) {
  return static_cast<DocumentKind>(document.index());
}

// The index of T among the alternatives of a variant.
template <class T, class... Alternatives>
constexpr std::size_t index_of(const std::variant<Alternatives...>*) {
  std::size_t index = 0;
  static_cast<void>((... && (!std::is_same_v<T, Alternatives> && ++index > 0)));
  static_assert((... || std::is_same_v<T, Alternatives>), "not one of the alternatives");
  return index;
}

// The kind of a document whose type is T.
template <class T>
inline constexpr auto kKindOf =
    static_cast<DocumentKind>(index_of<T>(static_cast<Document*>(nullptr)));

// The words for a kind in a sentence.
template <>
inline constexpr auto kEnumTexts<DocumentKind> =
    enum_texts<DocumentKind>({{DocumentKind::results, "results"},
                              {DocumentKind::comparison, "a comparison"},
                              {DocumentKind::duet, "a duet"},
                              {DocumentKind::verdicts, "verdicts"},
                              {DocumentKind::calibration, "a calibration"},
                              {DocumentKind::budgets, "verdicts on budgets"},
                              {DocumentKind::recommendation, "a recommendation"},
                              {DocumentKind::claims, "claims"}});

}  // namespace tailgate
