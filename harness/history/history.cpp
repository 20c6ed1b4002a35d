// Opens a history and writes to it. query.cpp reads.
#include "harness/history/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "harness/history/dates.h"
#include "harness/history/schema.h"
#include "harness/os/machine.h"

namespace tailgate::history {
namespace {

Row row_of(const Series& series) {
  return {std::string(enum_text(series.kind)),
          series.scenario,
          series.preset,
          series.sink,
          series.load,
          series.part,
          series.metric,
          series.unit};
}

std::string environment_hash(const Record& record) {
  return record.environment.empty() ? "" : fnv1a_hex(record.environment);
}

Row document_row(const Record& record) {
  return {std::string(enum_text(record.kind)),
          record.id,
          record.hash,
          record.progress,
          record.night,
          record.started_ms,
          record.machine,
          record.fingerprint,
          record.outcome,
          record.label,
          record.revision,
          record.version,
          record.scenario,
          record.preset,
          record.sink,
          environment_hash(record),
          record.reference};
}

constexpr const char* kInsertDocument =
    "INSERT INTO documents (kind, document_id, hash, progress, night, started_ms, machine,"
    " fingerprint, outcome, label, revision, version, scenario, preset, sink,"
    " environment, reference) "
    "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) "
    "ON CONFLICT (kind, document_id) DO NOTHING RETURNING id";

// Of two programs that replace one document at once, the second finds what the first wrote.
constexpr const char* kReplaceDocument =
    "UPDATE documents SET hash = $3, progress = $4, night = $5, started_ms = $6, machine = $7,"
    " fingerprint = $8, outcome = $9, label = $10, revision = $11, version = $12, scenario = $13,"
    " preset = $14, sink = $15, environment = $16, reference = $17 "
    "WHERE kind = $1 AND document_id = $2 AND progress < $4 RETURNING id";

}  // namespace

bool is_server(const std::string& place) {
  return place.starts_with("postgresql://") || place.starts_with("postgres://");
}

History History::open(const std::string& place, Access access) {
  return History(is_server(place) ? open_postgresql(place, access) : open_sqlite(place, access),
                 access);
}

History::History(std::unique_ptr<Database> database, Access access)
    : database_(std::move(database)) {
  prepare_schema(*database_, access);
}

std::vector<Appended> History::append(std::vector<Record> records) {
  for (Record& record : records) complete(record);
  return retried([&] { return append_once(records); });
}

Appended History::append(const Record& record) {
  return append(std::vector<Record>{record}).front();
}

std::vector<Appended> History::append_once(const std::vector<Record>& records) {
  Transaction transaction(*database_);
  std::vector<Appended> outcomes;
  Written written;
  for (const Record& record : records) outcomes.push_back(insert_document(record, written));
  insert_environments(written);
  queue_machines(written);
  const std::map<Series, std::int64_t> ids = series_ids(written);
  insert_values(written, ids);
  transaction.commit();
  ids_.insert(ids.begin(), ids.end());
  for (const auto& [document, record] : written) environments_.insert(environment_hash(*record));
  return outcomes;
}

Appended History::insert_document(const Record& record, Written& written) {
  const Row row = document_row(record);
  std::vector<Row> document = database_->run(kInsertDocument, row);
  const bool is_new = !document.empty();
  if (!is_new) {
    // Its night may be another one now.
    database_->run(
        "INSERT INTO machine_queue (night, machine) SELECT night, machine FROM documents"
        " WHERE kind = $1 AND document_id = $2 AND progress < $3",
        {row[0], row[1], row[3]});
    document = database_->run(kReplaceDocument, row);
  }
  if (document.empty()) {
    const std::vector<Row> there =
        database_->run("SELECT hash, progress FROM documents WHERE kind = $1 AND document_id = $2",
                       {row[0], row[1]});
    if (there.empty()) throw ConflictError("a document was removed", "repeat the command");
    if (there[0][0] == row[2]) return Appended::present;
    return there[0][1] == row[3] ? Appended::different : Appended::outdated;
  }
  const auto id = std::get<std::int64_t>(document[0][0]);
  if (!is_new) remove_values(record, id);
  written[id] = &record;
  if (!record.reference.empty()) {
    database_->run("INSERT INTO chart_queue (document) VALUES ($1)", {id});
  }
  return is_new ? Appended::added : Appended::replaced;
}

void History::insert_environments(const Written& written) {
  // In one order, so that two writers never wait for each other; the same holds for series.
  std::map<std::string, const std::string*> needed;
  for (const auto& [document, record] : written) {
    const std::string hash = environment_hash(*record);
    if (!hash.empty() && !environments_.contains(hash)) needed[hash] = &record->environment;
  }
  for (const auto& [hash, facts] : needed) {
    database_->run("INSERT INTO environments (hash, facts) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                   {hash, *facts});
  }
}

void History::queue_machines(const Written& written) {
  std::set<Row> nights;
  for (const auto& [document, record] : written) nights.insert({record->night, record->machine});
  insert_rows(*database_, "machine_queue (night, machine)", {nights.begin(), nights.end()});
}

std::map<Series, std::int64_t> History::series_ids(const Written& written) {
  std::map<Series, bool> needed;
  for (const auto& [document, record] : written) {
    for (const Distribution& one : record->distributions) needed.emplace(one.series, true);
    for (const Figure& one : record->figures) needed.emplace(one.series, false);
  }
  std::map<Series, std::int64_t> ids;
  for (const auto& [series, is_distribution] : needed) {
    if (const auto known = ids_.find(series); known != ids_.end()) {
      ids.insert(*known);
      continue;
    }
    Row row = row_of(series);
    const std::vector<Row> found = database_->run(
        "SELECT id FROM series WHERE kind = $1 AND scenario = $2 AND preset = $3 AND sink = $4"
        " AND load = $5 AND part = $6 AND metric = $7 AND unit = $8",
        row);
    if (!found.empty()) {
      ids.emplace(series, std::get<std::int64_t>(found[0][0]));
      continue;
    }
    row.emplace_back(std::int64_t{is_distribution});
    const std::vector<Row> made = database_->run(
        "INSERT INTO series (kind, scenario, preset, sink, load, part, metric, unit,"
        " is_distribution) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)"
        " ON CONFLICT DO NOTHING RETURNING id",
        row);
    if (made.empty()) throw ConflictError("two writers made one series", "repeat the command");
    ids.emplace(series, std::get<std::int64_t>(made[0][0]));
  }
  return ids;
}

void History::insert_values(const Written& written, const std::map<Series, std::int64_t>& ids) {
  std::vector<Row> figures;
  std::vector<Row> distributions;
  for (const auto& [document, record] : written) {
    std::set<std::int64_t> taken;  // a document that names one figure twice has the first
    for (const Figure& one : record->figures) {
      const std::int64_t series = ids.at(one.series);
      if (taken.insert(series).second) figures.push_back({series, document, one.value});
    }
    for (const Distribution& one : record->distributions) {
      const std::int64_t series = ids.at(one.series);
      if (!taken.insert(series).second) continue;
      distributions.push_back(
          {series, document, static_cast<std::int64_t>(one.overflow), Bytes{one.hdr}});
    }
  }
  // Series by series, as they lie in the table.
  std::sort(figures.begin(), figures.end());
  std::sort(distributions.begin(), distributions.end());
  insert_rows(*database_, "figures (series, document, value)", figures);
  insert_rows(*database_, "distributions (series, document, overflow, hdr)", distributions);
}

void History::remove_values(const Record& record, std::int64_t document) {
  for (const char* table : {"figures", "distributions"}) {
    database_->run(fmt::format("DELETE FROM {} WHERE document = $1 AND series IN"
                               " (SELECT id FROM series WHERE kind = $2)",
                               table),
                   {document, std::string(enum_text(record.kind))});
  }
}

void History::complete(Record& record) {
  if (record.kind != Kind::verdict) return;
  const std::vector<Row> duet = database_->run(
      "SELECT night, started_ms, machine FROM documents"
      " WHERE document_id = $1 AND kind IN ('duet', 'command-duet')",
      {record.duet_id});
  if (!duet.empty()) {
    if (record.night.empty()) record.night = std::get<std::string>(duet[0][0]);
    record.started_ms = std::get<std::int64_t>(duet[0][1]);
    if (record.machine == record.fingerprint) record.machine = std::get<std::string>(duet[0][2]);
  } else if (record.night.empty()) {
    throw NoNightError(
        fmt::format("the verdict on {} has no time, and its duet {} is not in the history",
                    record.sink, record.duet_id),
        "import the duet with it, or say its night with --night");
  } else {
    record.started_ms = unix_ms_of(record.night + "T00:00:00Z").value_or(0);
  }
}

}  // namespace tailgate::history
