// Reads a history.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "harness/base/options.h"
#include "harness/histogram/histogram_codec.h"
#include "harness/history/history.h"
#include "harness/history/metric.h"
#include "harness/stats/quantile_interval.h"

namespace tailgate::history {
namespace {

// The conditions of a WHERE clause, and their parameters.
class Conditions {
 public:
  // condition: with {} where the parameter stands. An empty text is no condition.
  void add(const char* condition, const std::string& text) {
    if (text.empty()) return;
    parameters_.emplace_back(text);
    clause_ += (clause_.empty() ? " WHERE " : " AND ") +
               fmt::format(fmt::runtime(condition), fmt::arg("p", parameter(parameters_.size())));
  }

  // comparison: such as "series =".
  void add(const char* comparison, std::int64_t number) {
    parameters_.emplace_back(number);
    clause_ += fmt::format("{}{} {}", clause_.empty() ? " WHERE " : " AND ", comparison,
                           parameter(parameters_.size()));
  }

  // What documents and series have in common.
  void add_kind_and_names(const Filter& filter) {
    add("kind = {p}", filter.kind);
    add("(scenario = {p} OR preset = {p})", filter.scenario);
    if (filter.sink.empty()) return;
    // A sink's name stands for it with any options: "file" for "file:mode=mmap".
    const std::string prefix = filter.sink + ":";
    parameters_.emplace_back(filter.sink);
    parameters_.emplace_back(prefix);
    parameters_.emplace_back(static_cast<std::int64_t>(prefix.size()));
    const std::size_t last = parameters_.size();
    clause_ += fmt::format("{}(sink = {} OR substr(sink, 1, {}) = {})",
                           clause_.empty() ? " WHERE " : " AND ", parameter(last - 2),
                           parameter(last), parameter(last - 1));
  }

  void add_nights_and_machine(const Filter& filter) {
    add("night >= {p}", filter.since);
    add("night <= {p}", filter.until);
    add("(machine = {p} OR fingerprint = {p})", filter.machine);
  }

  const std::string& clause() const { return clause_; }
  const Row& parameters() const { return parameters_; }

 private:
  static std::string parameter(std::size_t number) { return fmt::format("${}", number); }

  std::string clause_;
  Row parameters_;
};

std::string take_text(Value& value) {
  return std::move(std::get<std::string>(value));
}

Kind kind_of(const std::string& text) {
  if (const auto kind = enum_value<Kind>(text)) return *kind;
  throw Error(fmt::format("the history holds a document of the unknown kind '{}'", text),
              "use the tailgate that wrote it, or a later one");
}

// What the merged documents have in common; a text that differs becomes empty.
class Group {
 public:
  Group(const Series& series, const std::optional<DistributionFigure>& figure) : figure_(figure) {
    answer_.series = series;
    if (figure_ && figure_->what == DistributionFigure::What::count) answer_.series.unit = "values";
  }

  bool empty() const { return answer_.documents == 0; }

  // columns: as in kColumns, from the night on.
  void add(Row& columns) {
    const bool first = empty();
    ++answer_.documents;
    const auto keep = [first](std::string& common, std::string text) {
      if (first) {
        common = std::move(text);
      } else if (common != text) {
        common.clear();
      }
    };
    keep(answer_.night, take_text(columns[0]));
    const std::int64_t started_ms = std::get<std::int64_t>(columns[1]);
    answer_.started_ms = first ? started_ms : std::min(answer_.started_ms, started_ms);
    keep(answer_.machine, take_text(columns[2]));
    keep(answer_.fingerprint, take_text(columns[3]));
    keep(answer_.document_id, take_text(columns[4]));
    keep(answer_.revision, take_text(columns[5]));
    keep(answer_.label, take_text(columns[6]));
  }

  void add_value(double value) { values_.push_back(value); }

  void add_value(const Histogram& histogram) {
    if (!answer_.distribution) {
      answer_.distribution = histogram;
      return;
    }
    answer_.distribution->add(histogram);
  }

  const Answer& answer() {
    if (answer_.distribution) {
      answer_.value = figure_ ? figure_of(*answer_.distribution, *figure_)
                              : static_cast<double>(answer_.distribution->total_count());
    } else {
      answer_.value = median(values_);
    }
    return answer_;
  }

 private:
  std::optional<DistributionFigure> figure_;
  Answer answer_;
  std::vector<double> values_;
};

constexpr const char* kColumns =
    "night, started_ms, machine, fingerprint, document_id, revision, label";

// The order in which the documents of a group follow each other.
const char* order_of(Merge merge) {
  switch (merge) {
    case Merge::nothing:
    case Merge::night:
      return "night, machine, started_ms, id";
    case Merge::group:
      return "night, fingerprint, started_ms, id";
    case Merge::all:
      return "fingerprint, night, started_ms, id";
  }
  return "";
}

// What the documents of a group share. number: of the document.
std::tuple<std::size_t, std::string, std::string> group_of(Merge merge, const Row& columns,
                                                           std::size_t number) {
  const auto& night = std::get<std::string>(columns[0]);
  switch (merge) {
    case Merge::nothing:
      return {number, "", ""};
    case Merge::night:
      return {0, night, std::get<std::string>(columns[2])};
    case Merge::group:
      return {0, night, std::get<std::string>(columns[3])};
    case Merge::all:
      return {0, "", std::get<std::string>(columns[3])};
  }
  return {};
}

// "call_ns_in_*" stands for all figures whose names begin and end so.
bool is_pattern(const std::string& metric) {
  return metric.find('*') != std::string::npos;
}

bool fits_pattern(std::string_view name, std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  const std::string_view end = pattern.substr(star + 1);
  return name.size() + 1 >= pattern.size() && name.starts_with(pattern.substr(0, star)) &&
         name.ends_with(end);
}

// Every series but the metric, to find those of which one metric is a figure of its own.
Series without_metric(Series series) {
  series.metric.clear();
  series.unit.clear();
  return series;
}

}  // namespace

std::vector<Record> History::list(const Filter& filter) {
  Conditions where;
  where.add_kind_and_names(filter);
  where.add_nights_and_machine(filter);
  std::vector<Record> documents;
  for (Row& row : database_->run(
           "SELECT kind, document_id, night, started_ms, machine, fingerprint, outcome, label,"
           " revision, version, scenario, preset, sink, documents.hash, progress,"
           " coalesce(facts, ''), reference"
           " FROM documents LEFT JOIN environments ON environments.hash = environment" +
               where.clause() + " ORDER BY night, started_ms, id",
           where.parameters())) {
    Record& one = documents.emplace_back();
    one.kind = kind_of(take_text(row[0]));
    one.id = take_text(row[1]);
    one.night = take_text(row[2]);
    one.started_ms = std::get<std::int64_t>(row[3]);
    one.machine = take_text(row[4]);
    one.fingerprint = take_text(row[5]);
    one.outcome = take_text(row[6]);
    one.label = take_text(row[7]);
    one.revision = take_text(row[8]);
    one.version = take_text(row[9]);
    one.scenario = take_text(row[10]);
    one.preset = take_text(row[11]);
    one.sink = take_text(row[12]);
    one.hash = take_text(row[13]);
    one.progress = std::get<std::int64_t>(row[14]);
    one.environment = take_text(row[15]);
    one.reference = take_text(row[16]);
  }
  return documents;
}

std::vector<KnownSeries> History::known_series(const Filter& filter) {
  Conditions where;
  where.add_kind_and_names(filter);
  where.add("load = {p}", filter.load);
  where.add("part = {p}", filter.part);
  std::vector<KnownSeries> known;
  for (Row& row : database_->run("SELECT id, is_distribution, kind, scenario, preset, sink, load,"
                                 " part, metric, unit FROM series" +
                                     where.clause(),
                                 where.parameters())) {
    Series series;
    series.kind = kind_of(take_text(row[2]));
    series.scenario = take_text(row[3]);
    series.preset = take_text(row[4]);
    series.sink = take_text(row[5]);
    series.load = take_text(row[6]);
    series.part = take_text(row[7]);
    series.metric = take_text(row[8]);
    series.unit = take_text(row[9]);
    known.push_back(
        {std::get<std::int64_t>(row[0]), std::get<std::int64_t>(row[1]) != 0, std::move(series)});
  }
  std::sort(known.begin(), known.end(),
            [](const KnownSeries& a, const KnownSeries& b) { return a.series < b.series; });
  return known;
}

std::string History::first_of_last_nights(std::size_t nights) {
  return earlier_night(*database_, "documents", "", nights);
}

std::vector<Series> History::series(const Filter& filter) {
  std::vector<Series> all;
  for (KnownSeries& known : known_series(filter)) all.push_back(std::move(known.series));
  return all;
}

// The question's series. A figure of the very name comes before a figure of a distribution.
std::vector<KnownSeries> History::asked(const Question& question) {
  std::vector<KnownSeries> known = known_series(question.filter);
  if (question.metric.empty()) return known;
  if (is_pattern(question.metric)) {
    std::erase_if(known, [&](const KnownSeries& one) {
      return one.is_distribution || !fits_pattern(one.series.metric, question.metric);
    });
    if (!known.empty()) return known;
    throw Error(fmt::format("'{}' has no figures of metrics '{}'", place(), question.metric),
                "'tailgate history list --metrics' shows what there is");
  }
  const Metric metric = parse_metric(question.metric);
  std::vector<std::string> names;
  std::map<Series, KnownSeries> chosen;
  for (const bool figures : {true, false}) {
    for (const KnownSeries& one : known) {
      if (one.is_distribution == figures) continue;
      names.push_back(one.series.metric + (one.is_distribution ? "_p99" : ""));
      const bool matches = figures ? metric.is_figure(one.series.metric)
                                   : metric.figure && metric.distribution == one.series.metric;
      if (matches) chosen.emplace(without_metric(one.series), one);
    }
  }
  if (chosen.empty()) {
    const std::string near = nearest_name(question.metric, names);
    throw Error(fmt::format("'{}' has no values of the metric '{}'{}", place(), question.metric,
                            names.empty() ? " and no others of these runs" : ""),
                near.empty() ? "'tailgate history list --metrics' shows what there is"
                             : fmt::format("did you mean '{}'? 'tailgate history list --metrics' "
                                           "shows what there is",
                                           near));
  }
  std::vector<KnownSeries> asked;
  for (auto& [key, one] : chosen) asked.push_back(std::move(one));
  return asked;
}

// Documents are numbered as they come: those of a few nights are near each other, and the key of
// the values finds them without the rest of their series.
std::optional<History::DocumentRange> History::range_of(const Filter& filter) {
  Conditions where;
  where.add_nights_and_machine(filter);
  // For min(id) PostgreSQL would read documents by number until one fits.
  const std::vector<Row> rows = database_->run(
      "SELECT min(id + 0), max(id + 0) FROM documents" + where.clause(), where.parameters());
  if (!std::holds_alternative<std::int64_t>(rows.at(0).at(0))) return {};
  return DocumentRange{std::get<std::int64_t>(rows[0][0]), std::get<std::int64_t>(rows[0][1])};
}

void History::answer(const KnownSeries& known, const DocumentRange& range, const Question& question,
                     const std::function<void(const Answer&)>& take) {
  Conditions where;
  where.add("series =", known.id);
  where.add("document >=", range.first);
  where.add("document <=", range.last);
  where.add_nights_and_machine(question.filter);
  const std::string value = known.is_distribution ? "overflow, hdr" : "value";
  std::vector<Row> rows = database_->run(
      fmt::format("SELECT {}, {} FROM {} JOIN documents ON id = document{} ORDER BY {}", kColumns,
                  value, known.is_distribution ? "distributions" : "figures", where.clause(),
                  order_of(question.merge)),
      where.parameters());
  const std::optional<DistributionFigure> figure =
      known.is_distribution ? parse_metric(question.metric).figure : std::nullopt;
  std::optional<Group> group;
  std::tuple<std::size_t, std::string, std::string> current;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Row& row = rows[i];
    auto next = group_of(question.merge, row, i);
    if (group && next != current) {
      take(group->answer());
      group.reset();
    }
    current = std::move(next);
    if (!group) group.emplace(known.series, figure);
    if (known.is_distribution) {
      Histogram histogram = decode(std::get<Bytes>(row[8]).data);
      histogram.set_overflow_count(static_cast<std::uint64_t>(std::get<std::int64_t>(row[7])));
      group->add_value(histogram);
    } else {
      group->add_value(std::get<double>(row[7]));
    }
    group->add(row);
  }
  if (group) take(group->answer());
}

void History::for_each(const Question& question, const std::function<void(const Answer&)>& take) {
  const std::vector<KnownSeries> series = asked(question);
  const std::optional<DocumentRange> range = range_of(question.filter);
  if (!range) return;
  for (const KnownSeries& known : series) answer(known, *range, question, take);
}

std::vector<Answer> History::query(const Question& question) {
  std::vector<Answer> answers;
  for_each(question, [&answers](const Answer& one) {
    answers.push_back(one);
    answers.back().distribution.reset();
  });
  return answers;
}

}  // namespace tailgate::history
