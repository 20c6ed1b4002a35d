#include "harness/history/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>

namespace tailgate::history {
namespace {

// In both databases' language but for {identity}, a whole number that the database gives, and
// {by_key}, which makes SQLite keep a table in the order of its key.
//
// There are no foreign keys. Only History writes, in transactions; and to check one at each of a
// document's fifty values, or at its removal, would cost more than all the rest.
constexpr std::string_view kVersion1[] = {
    "CREATE TABLE tailgate_history (version BIGINT NOT NULL)",

    // One row a document. `progress` is higher in the later of two states of one document.
    "CREATE TABLE documents ("
    "  id {identity},"
    "  kind TEXT NOT NULL,"         // result, duet, command-duet, verdict
    "  document_id TEXT NOT NULL,"  // its own
    "  hash TEXT NOT NULL,"         // of its text
    "  progress BIGINT NOT NULL,"
    "  night TEXT NOT NULL,"         // UTC date, 2026-11-25
    "  started_ms BIGINT NOT NULL,"  // Unix time in milliseconds
    "  machine TEXT NOT NULL,"       // its name; without one the fingerprint
    "  fingerprint TEXT NOT NULL,"   // machines of one fingerprint are a group
    "  outcome TEXT NOT NULL,"       // complete, partial; of a verdict: pass, fail …
    "  label TEXT NOT NULL,"         // restriction on the use of its figures
    "  revision TEXT NOT NULL,"      // that was measured
    "  version TEXT NOT NULL,"       // of tailgate
    "  scenario TEXT NOT NULL, preset TEXT NOT NULL, sink TEXT NOT NULL,"
    "  UNIQUE (kind, document_id))",
    "CREATE INDEX documents_by_night ON documents (night, machine)",

    // What values belong to.
    "CREATE TABLE series ("
    "  id {identity},"
    "  kind TEXT NOT NULL, scenario TEXT NOT NULL, preset TEXT NOT NULL, sink TEXT NOT NULL,"
    "  load TEXT NOT NULL, part TEXT NOT NULL, metric TEXT NOT NULL, unit TEXT NOT NULL,"
    "  is_distribution BIGINT NOT NULL,"  // 1: its values are in distributions, 0: in figures
    "  UNIQUE (kind, scenario, preset, sink, load, part, metric, unit))",

    // Documents are numbered as they come, so a series lies together in the order of its nights.
    "CREATE TABLE figures ("
    "  series BIGINT NOT NULL, document BIGINT NOT NULL, value DOUBLE PRECISION NOT NULL,"
    "  PRIMARY KEY (series, document)){by_key}",

    // hdr: HdrHistogram V2, zlib-compressed, of nanoseconds; overflow: values above its range.
    "CREATE TABLE distributions ("
    "  series BIGINT NOT NULL, document BIGINT NOT NULL, overflow BIGINT NOT NULL,"
    "  hdr BYTEA NOT NULL, PRIMARY KEY (series, document))",
};

// What a machine was when a document was measured, so that a new kernel or compiler is not taken
// for a change of what was measured.
constexpr std::string_view kVersion2[] = {
    // facts: a line "name=value" each
    "CREATE TABLE environments (hash TEXT PRIMARY KEY, facts TEXT NOT NULL)",
    // Empty: not known, as of documents that a history of version 1 took.
    "ALTER TABLE documents ADD COLUMN environment TEXT NOT NULL DEFAULT ''",
};

// The nights' charts (charts.h) and what they found (findings.h). A chart is of a series, a group
// of machines and a reference. Nights are UTC dates; an empty text stands for "none".
constexpr std::string_view kVersion3[] = {
    // Of a duet: the revision of the earlier build that it was held against.
    "ALTER TABLE documents ADD COLUMN reference TEXT NOT NULL DEFAULT ''",
    // Documents that are not in the charts yet.
    "CREATE TABLE chart_queue (id {identity}, document BIGINT NOT NULL)",
    "CREATE TABLE charts ("
    "  series BIGINT NOT NULL, fingerprint TEXT NOT NULL, reference TEXT NOT NULL,"
    "  night TEXT NOT NULL,"   // the last one
    "  state BYTEA NOT NULL,"  // with it
    "  state_before BYTEA NOT NULL,"
    "  PRIMARY KEY (series, fingerprint, reference)){by_key}",
    // The level changed after the night last_before and up to the night first_after.
    "CREATE TABLE findings ("
    "  id {identity},"
    "  fingerprint TEXT NOT NULL, reference TEXT NOT NULL,"
    "  state TEXT NOT NULL,"  // open, acknowledged, fixed
    "  is_creep BIGINT NOT NULL,"
    "  found_night TEXT NOT NULL,"
    "  last_before TEXT NOT NULL, revision_before TEXT NOT NULL,"
    "  first_after TEXT NOT NULL, revision_after TEXT NOT NULL,"
    "  reason TEXT NOT NULL,"  // of who acknowledged it
    "  fixed_night TEXT NOT NULL)",
    "CREATE INDEX findings_by_chart ON findings (fingerprint, reference)",
    // The series of a finding; levels are logarithms of the ratio to the reference.
    "CREATE TABLE finding_members ("
    "  finding BIGINT NOT NULL, series BIGINT NOT NULL,"
    "  found_night TEXT NOT NULL, last_before TEXT NOT NULL, first_after TEXT NOT NULL,"
    "  level_before DOUBLE PRECISION NOT NULL, level_after DOUBLE PRECISION NOT NULL,"
    "  statistic DOUBLE PRECISION NOT NULL,"
    "  fixed_night TEXT NOT NULL,"
    "  PRIMARY KEY (finding, series)){by_key}",
};

// What the fleet is judged by (fleet.h): to make it from hundreds of thousands of documents would
// take a report seconds.
constexpr std::string_view kVersion4[] = {
    // For charts. Without it PostgreSQL reads the entries of all duets in the index by kind.
    "CREATE INDEX duets_by_night ON documents (night, sink) WHERE reference <> ''",
    // A machine's value of a night. series: of the figure or distribution that it is of.
    "CREATE TABLE machine_nights ("
    "  night TEXT NOT NULL, machine TEXT NOT NULL, series BIGINT NOT NULL, metric TEXT NOT NULL,"
    "  fingerprint TEXT NOT NULL, value DOUBLE PRECISION NOT NULL,"
    "  PRIMARY KEY (night, machine, series, metric)){by_key}",
    // Nights of machines that have documents which are not in machine_nights yet.
    "CREATE TABLE machine_queue (id {identity}, night TEXT NOT NULL, machine TEXT NOT NULL)",
    // Of the last eight weeks, in which a fleet is looked at.
    "INSERT INTO machine_queue (night, machine) SELECT DISTINCT night, machine FROM documents"
    " WHERE night IN (SELECT DISTINCT night FROM documents ORDER BY night DESC LIMIT 56)",
};

// 0 where there is no history, and nothing else either.
int version_of(Database& database) {
  const std::vector<std::string> tables = database.tables();
  if (tables.empty()) return 0;
  if (std::find(tables.begin(), tables.end(), "tailgate_history") == tables.end()) {
    throw Error(fmt::format("'{}' is no history of tailgate: it holds other tables, such as '{}'",
                            database.place(), tables.front()),
                "name a file or a database of its own for the history");
  }
  const std::vector<Row> rows = database.run("SELECT version FROM tailgate_history");
  if (rows.size() != 1 || !std::holds_alternative<std::int64_t>(rows[0][0])) {
    throw Error(fmt::format("the history '{}' states no version", database.place()),
                "restore a copy, or name a new one and import the documents again");
  }
  const std::int64_t version = std::get<std::int64_t>(rows[0][0]);
  if (version > kSchemaVersion || version < 1) {
    throw Error(fmt::format("the history '{}' has version {}; this tailgate reads 1 to {}",
                            database.place(), version, kSchemaVersion),
                "use the tailgate that wrote it, or a later one");
  }
  return static_cast<int>(version);
}

// The statements that bring an empty database to version 1, or one of the version before to this.
std::span<const std::string_view> migration_to(int version) {
  switch (version) {
    case 1:
      return kVersion1;
    case 2:
      return kVersion2;
    case 3:
      return kVersion3;
    case 4:
      return kVersion4;
    default:
      throw std::logic_error("no migration to this version");
  }
}

void migrate(Database& database) {
  Transaction transaction(database, true);
  // Another program may have done it in the meantime.
  const int found = version_of(database);
  for (int version = found + 1; version <= kSchemaVersion; ++version) {
    for (const std::string_view statement : migration_to(version)) {
      database.run(database.in_dialect(std::string(statement)));
    }
  }
  const Row version = {std::int64_t{kSchemaVersion}};
  if (found == 0) {
    database.run("INSERT INTO tailgate_history (version) VALUES ($1)", version);
  } else {
    database.run("UPDATE tailgate_history SET version = $1", version);
  }
  transaction.commit();
}

}  // namespace

void prepare_schema(Database& database, Access access) {
  const int version = version_of(database);
  if (version == kSchemaVersion) return;
  if (access == Access::write) return migrate(database);
  if (version == 0) {
    throw Error(fmt::format("there is no history in '{}'", database.place()),
                "'tailgate history import FILE...' makes one");
  }
  throw Error(fmt::format("the history '{}' has version {}, and this tailgate reads version {}",
                          database.place(), version, kSchemaVersion),
              "'tailgate history import FILE...' brings it up to date");
}

}  // namespace tailgate::history
