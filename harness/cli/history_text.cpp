#include "harness/cli/history_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "harness/report/human.h"

namespace tailgate {
namespace {

using history::Record;
using history::Series;

struct Column {
  std::string title;
  std::vector<std::string> cells;
  bool right = false;      // numbers are aligned at their end
  bool may_leave = false;  // a text that all rows share stands above the table
  bool may_be_cut = true;
};

bool is_shared(const Column& column) {
  return column.may_leave &&
         std::all_of(column.cells.begin(), column.cells.end(),
                     [&](const std::string& cell) { return cell == column.cells.front(); });
}

std::size_t width_of(const Column& column) {
  std::size_t width = columns_of(column.title);
  for (const std::string& cell : column.cells) width = std::max(width, columns_of(cell));
  return width;
}

// The columns' widths, with two blanks between them in 80 columns: the widest texts are cut.
std::vector<std::size_t> widths_of(const std::vector<Column>& columns) {
  constexpr std::size_t kNarrowest = 6;
  std::vector<std::size_t> widths;
  std::size_t whole = 2 * (columns.size() - 1);
  for (const Column& column : columns) whole += widths.emplace_back(width_of(column));
  for (; whole > kColumns; --whole) {
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (!columns[i].may_be_cut || widths[i] <= kNarrowest) continue;
      if (widest == nullptr || widths[i] > *widest) widest = &widths[i];
    }
    if (widest == nullptr) break;
    --*widest;
  }
  return widths;
}

std::string cell_text(const std::string& text, std::size_t width, bool right) {
  const std::string cut = cut_to(text, width);
  const std::string blanks(width - columns_of(cut), ' ');
  return right ? blanks + cut : cut + blanks;
}

std::string line_of(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string table(std::vector<Column> columns) {
  std::string text;
  std::string shared;
  std::vector<Column> shown;
  for (Column& column : columns) {
    if (!is_shared(column)) {
      shown.push_back(std::move(column));
    } else if (!column.cells.front().empty()) {
      shared += (shared.empty() ? "" : ", ") + column.title + " " + column.cells.front();
    }
  }
  for (const std::string& line : wrapped(shared, kColumns, 2)) text += line_of(line);
  if (!text.empty()) text += "\n";
  const std::vector<std::size_t> widths = widths_of(shown);
  const auto line = [&](const auto& cell_of) {
    std::string whole;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      whole += (i == 0 ? "" : "  ") + cell_text(cell_of(shown[i]), widths[i], shown[i].right);
    }
    text += line_of(whole);
  };
  line([](const Column& column) { return column.title; });
  for (std::size_t row = 0; row < shown.front().cells.size(); ++row) {
    line([row](const Column& column) { return column.cells[row]; });
  }
  return text;
}

std::string value_text(const history::Answer& one) {
  if (one.series.unit == "ns") return human_duration(one.value);
  const bool whole = std::abs(one.value) >= 1;
  return fmt::format("{:.{}g} {}", one.value, whole ? 7 : 4, one.series.unit);
}

// The columns that say what values or documents belong to.
template <class Thing>
Column text_column(const char* title, const std::vector<Thing>& things,
                   std::string (*text)(const Thing&)) {
  Column column{title, {}, false, true};
  for (const Thing& one : things) column.cells.push_back(text(one));
  return column;
}

}  // namespace

std::string history_documents_text(const std::vector<Record>& documents) {
  if (documents.empty()) return "no documents\n";
  std::vector<Column> columns;
  const auto add = [&](const char* title, std::string (*text)(const Record&)) {
    columns.push_back(text_column<Record>(title, documents, text));
  };
  add("night", [](const Record& one) { return one.night; });
  columns.back().may_leave = columns.back().may_be_cut = false;
  add("kind", [](const Record& one) { return std::string(enum_text(one.kind)); });
  add("scenario", [](const Record& one) { return one.scenario; });
  add("preset", [](const Record& one) { return one.preset; });
  add("sink", [](const Record& one) { return one.sink; });
  add("machine", [](const Record& one) { return one.machine; });
  add("outcome", [](const Record& one) { return one.outcome; });
  add("label", [](const Record& one) { return one.label; });
  return table(std::move(columns)) + fmt::format("\n{} documents\n", documents.size());
}

std::string history_events_text(const std::vector<history::MachineEvent>& events) {
  std::string text;
  for (const history::MachineEvent& event : events) {
    text += line_of(event.night + "  " + event.machine);
    for (const std::string& what : event.changes) text += paragraph(what);
  }
  return text.empty() ? "no changes\n" : text;
}

std::string history_metrics_text(const std::vector<Series>& series) {
  if (series.empty()) return "no metrics\n";
  std::map<std::pair<std::string, std::string>, std::set<std::string>> parts;
  for (const Series& one : series) {
    std::set<std::string>& of = parts[{one.metric, one.unit}];
    if (!one.part.empty()) of.insert(one.part);
  }
  Column metrics{"metric", {}, false, false, false};
  Column units{"unit", {}, false, false, false};
  Column wholes{"parts", {}};
  for (const auto& [metric, of] : parts) {
    metrics.cells.push_back(metric.first);
    units.cells.push_back(metric.second);
    std::string list;
    for (const std::string& part : of) list += (list.empty() ? "" : " ") + part;
    wholes.cells.push_back(list);
  }
  return table({std::move(metrics), std::move(units), std::move(wholes)}) +
         "\nOf response_ns, service_ns, delivery_ns and their raw_ kinds, ask for any\n"
         "percentile or for min, max, mean or count: response_ns_p99.9, service_ns_max.\n";
}

std::string history_answers_text(const std::string& metric,
                                 const std::vector<history::Answer>& answers) {
  if (answers.empty()) return "no values\n";
  std::vector<Column> columns;
  const auto add = [&](const char* title, std::string (*text)(const history::Answer&)) {
    columns.push_back(text_column<history::Answer>(title, answers, text));
  };
  add("night",
      [](const history::Answer& one) { return one.night.empty() ? "several" : one.night; });
  columns.back().may_leave = columns.back().may_be_cut = false;
  if (metric.find('*') != std::string::npos) {
    add("metric", [](const history::Answer& one) { return one.series.metric; });
    columns.back().may_leave = columns.back().may_be_cut = false;
  }
  add("kind", [](const history::Answer& one) { return std::string(enum_text(one.series.kind)); });
  add("scenario", [](const history::Answer& one) { return one.series.scenario; });
  add("preset", [](const history::Answer& one) { return one.series.preset; });
  add("sink", [](const history::Answer& one) { return one.series.sink; });
  add("load", [](const history::Answer& one) { return one.series.load; });
  add("part", [](const history::Answer& one) { return one.series.part; });
  // A machine without a name is called by its group's.
  const bool named = std::any_of(answers.begin(), answers.end(), [](const history::Answer& one) {
    return one.machine != one.fingerprint;
  });
  if (named) add("group", [](const history::Answer& one) { return one.fingerprint; });
  add("machine",
      [](const history::Answer& one) { return one.machine.empty() ? "several" : one.machine; });
  add("label", [](const history::Answer& one) { return one.label; });
  columns.push_back(text_column<history::Answer>("runs", answers, [](const history::Answer& one) {
    return fmt::format("{}", one.documents);
  }));
  columns.back().right = true;
  columns.back().may_be_cut = false;
  Column values{"value", {}, true, false, false};
  for (const history::Answer& one : answers) values.cells.push_back(value_text(one));
  columns.push_back(std::move(values));
  return metric + "\n" + table(std::move(columns));
}

}  // namespace tailgate
