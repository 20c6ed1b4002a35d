// Documents with hostile texts in every field, through every exporter: whatever the texts are, the
// output keeps the rules of its form. A new field and a new exporter are covered by themselves.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "harness/base/error.h"
#include "harness/base/quoting.h"
#include "harness/report/exporter.h"
#include "harness/result/sample.h"
#include "harness/result/sample_duet.h"
#include "harness/result/texts.h"

namespace tailgate {
namespace {

std::vector<std::string> hostile_texts() {
  return {"\x1b[2J\x1b[31mred",
          "\x1b]0;title\x07 \x1b]8;;http://x\x1b\\",
          "csi \xc2\x9b 31m",
          "raw \x9b \xff\xfe \xc0\xaf \xed\xa0\x80 \xe2\x82",
          std::string("nul\0byte", 8),
          "one\r\ntwo\rthree\nfour\ttab",
          "\u202Egnp.exe \u2066 \u2069 \u200F \u061C \u2028",
          "=HYPERLINK(\"http://x\",\"y\")",
          "+1+1",
          "-2+3",
          "@SUM(A1)",
          "\t=1",
          "a,b;c|d",
          "\"quoted\" and 'single'",
          "back\\slash \\| \\",
          "%s%n%d {} {0} ${HOME} $(id) `id`",
          "<script>alert(1)</script> & ]]> -->",
          "[link](http://x) ![i](y) *b* _i_ ~~s~~ # h | t",
          "-rf --out=/x",
          "$x^2$ \\frac{1}{2}",
          "",
          std::string(20'000, 'A') + "\x1b"};
}

// Gives every list at least one element and every optional a value, so that no field is left out.
class Grower {
 public:
  template <class T>
  void grow(T& value) {
    if constexpr (Described<T>) {
      void* const outer = std::exchange(object_, &value);
      T::describe(*this);
      object_ = outer;
    } else if constexpr (IsVector<T>::value) {
      if (value.empty()) value.resize(1);
      if constexpr (!std::is_same_v<T, std::vector<bool>>) {
        for (auto& element : value) grow(element);
      }
    } else if constexpr (IsOptional<T>::value) {
      grow(value ? *value : value.emplace());
    }
  }

  template <class Struct, class Field>
  void operator()(const char*, Field Struct::*member, const char*, int = 1) {
    Struct& object = *static_cast<Struct*>(object_);
    grow(object.*member);
    object_ = &object;
  }

 private:
  void* object_ = nullptr;
};

// Puts the text into every field, but those without which there is nothing to export: the encoded
// distributions and the time of the start.
template <Described T>
T hostile(T value, const std::string& text) {
  Grower().grow(value);
  visit_texts(value, [&](const std::string& name, std::string& field) {
    if (name != "hdr" && name != "started_utc") field = text;
  });
  return value;
}

Result hostile_result(const std::string& text) {
  Result result = hostile(sample_result(), text);
  // The table of overhead and the ranking of paths look for this role.
  for (StepSummary& step : result.summary) {
    step.overhead.push_back(step.overhead.front());
    step.overhead.back().role = "logging";
  }
  for (Trial& trial : result.traced) trial.outcome = TrialOutcome::completed;
  return result;
}

std::vector<Document> hostile_documents(const std::string& text) {
  const NamedResult named = {text + ".json", hostile_result(text)};
  Verdict verdict = hostile(Verdict(), text);
  for (MetricJudgement& metric : verdict.metrics) metric.decision = MetricOutcome::fail;
  Verdict other = verdict;
  other.outcome = VerdictOutcome::pass;
  Calibration record;
  record.runs = {hostile(CalibrationRun(), text)};
  record.runs.front().started_utc = text;
  CalibrationRow row;
  row.sink = row.load = row.planted = text;
  BudgetVerdicts budgets =
      judge_budgets({parse_budget("file: p99 < 50us, lost = 0")}, {{text, &named.result}});
  for (BudgetVerdict& budget : budgets.list) {
    budget.budget = budget.file = budget.sink = budget.scenario = text;
    budget.invalid.push_back({text, text});
    for (BoundVerdict& bound : budget.bounds) {
      bound.bound.text = text;
      bound.invalid = {text, text};
    }
  }
  Candidate candidate{text, text};
  Candidate other_candidate{text, text, {text, text}, true};
  candidate.measured = true;
  const Recommendation recommendation{{}, text, {candidate, other_candidate}, {text}, {text}, text};
  const ClaimFigure figure{1, 0, 2, 3};
  const ClaimShown shown{text, ClaimUnit::ns, figure, figure, figure};
  const ClaimVerdict claim{
      text, text, text, text, text, {text, text}, {text}, {shown, shown}, ClaimOutcome::holds,
      text, text};
  RelabelledRow relabelled;
  relabelled.sink = relabelled.load = relabelled.worse = text;
  return {Results{named},
          Results{named, named},
          Comparison{{{named, named}}, {std::string(named.name)}},
          hostile(sample_duet({.rounds = 3}), text),
          Verdicts{{verdict, other}},
          CalibrationReport{record, {row}, {relabelled}, scores_of({row}, {text})},
          budgets,
          recommendation,
          ClaimVerdicts{{claim, claim}, text, text}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// RFC 4180: how many cells each row has. Checks that no cell is calculated by a spreadsheet.
std::vector<std::size_t> check_csv_cells(const std::string& text) {
  std::vector<std::size_t> cells;
  std::vector<std::string> row(1);
  bool quoted = false;
  const auto end_row = [&] {
    for (const std::string& cell : row) {
      INFO(cell.substr(0, 40));
      static const std::regex number(R"(-?[0-9.]+(e[+-]?[0-9]+)?)");
      const bool formula = cell.find_first_of("=+-@\t\r") == 0;
      CHECK((!formula || std::regex_match(cell, number)));
    }
    cells.push_back(std::exchange(row, std::vector<std::string>(1)).size());
  };
  for (const char c : text) {
    if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      row.emplace_back();
    } else if (!quoted && c == '\n') {
      end_row();
    } else {
      row.back() += c;
    }
  }
  CHECK_FALSE(quoted);
  return cells;
}

// The bars of a line that separate cells: those without a backslash before them.
std::size_t cell_bars(const std::string& line) {
  std::size_t bars = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line[i] == '|') {
      ++bars;
    }
  }
  return bars;
}

void check_markdown(const std::string& text) {
  std::size_t bars = 0;
  for (const std::string& line : lines_of(text)) {
    if (!line.starts_with("|")) {
      bars = 0;
      continue;
    }
    if (bars == 0) bars = cell_bars(line);
    INFO(line.substr(0, 200));
    CHECK(cell_bars(line) == bars);
  }
  // A tag, a link and code begin with one of these.
  static const std::regex formatting(R"((^|[^\\])(\\\\)*(<[a-z]|`|\]\())");
  CHECK_FALSE(std::regex_search(text.substr(0, 20'000), formatting));
}

void check_form(const Exporter& exporter, const std::string& text) {
  switch (exporter.form) {
    case Form::text:
      break;
    case Form::markdown:
      check_markdown(text);
      break;
    case Form::csv: {
      const std::vector<std::size_t> cells = check_csv_cells(text);
      CHECK(std::set(cells.begin(), cells.end()).size() <= 1);
      break;
    }
    case Form::json:
      CHECK_NOTHROW(nlohmann::json::parse(text));
      break;
    case Form::xml:
      // verdicts_test.cpp checks that it is well formed.
      CHECK(text.find("<script") == std::string::npos);
      break;
  }
  // Every form may be printed on a terminal.
  CHECK(printable_lines(text) == text);
}

TEST_CASE("no text of a document controls what any exporter makes of it", "[long]") {
  std::size_t made = 0;
  std::size_t number = 0;
  for (const std::string& text : hostile_texts()) {
    for (const Document& document : hostile_documents(text)) {
      for (const Exporter* exporter : exporters_of(kind_of(document))) {
        INFO("text " << number << ", " << enum_text(exporter->takes) << " as " << exporter->format);
        try {
          check_form(*exporter,
                     exporter->render(document, {.trials = true, .roles = true, .calls = 9}));
          ++made;
        } catch (const Error& error) {
          // Several results in a format for one, or nothing that it can show.
          CHECK(std::get_if<Results>(&document) != nullptr);
        }
      }
    }
    ++number;
  }
  // Each exporter at least once a text.
  CHECK(made >= number * all_exporters().size());
}

}  // namespace
}  // namespace tailgate
