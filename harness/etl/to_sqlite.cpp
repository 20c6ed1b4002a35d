#include "harness/etl/to_sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/quoting.h"
#include "harness/etl/event_stream.h"
#include "harness/etl/field_value.h"
#include "harness/etl/new_file.h"
#include "harness/etl/no_processor.h"
#include "harness/etl/text.h"
#include "harness/etl/time_zone.h"
#include "harness/etl/value_text.h"
#include "harness/os/process.h"

namespace tailgate::etl {
namespace {

constexpr std::size_t kMaxTables = 4096;
constexpr std::size_t kMaxFieldColumns = 500;
constexpr std::size_t kMaxTableNameBytes = 200;
constexpr std::string_view kMoreFields = "more_fields";
constexpr std::string_view kOtherEvents = "other events";

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
struct EndStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, EndStatement>;

std::string sql_name(std::string_view name) {
  std::string out = "\"";
  for (char c : name) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

// A name that SQLite takes and tools can show: printable, not too long, and no other's but for
// case. SQLite keeps names that begin with sqlite_ for itself.
std::string free_name(std::string_view wanted, std::unordered_set<std::string>& taken) {
  std::string name = printable(wanted.substr(0, kMaxTableNameBytes));
  if (name.empty()) name = "(unnamed)";
  if (lower_case(name).starts_with("sqlite_")) name = "_" + name;
  std::string free = name;
  for (int number = 2; !taken.insert(lower_case(free)).second; ++number) {
    free = fmt::format("{}#{}", name, number);
  }
  return free;
}

// The database while it is written.
class Database {
 public:
  Database(const std::filesystem::path& path, bool replace) : file_(path, replace) {
    sqlite3* opened = nullptr;
    const int code = sqlite3_open_v2(file_.temporary().string().c_str(), &opened,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    database_.reset(opened);
    check(code);
    // Nothing has to be undone in a file that is not complete.
    run("PRAGMA journal_mode = OFF");
    run("PRAGMA synchronous = OFF");
    run("BEGIN");
  }

  void run(const std::string& sql) {
    check(sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr));
  }

  Statement prepared(const std::string& sql) {
    sqlite3_stmt* made = nullptr;
    check(sqlite3_prepare_v3(database_.get(), sql.c_str(), static_cast<int>(sql.size()) + 1,
                             SQLITE_PREPARE_PERSISTENT, &made, nullptr));
    return Statement(made);
  }

  void step(sqlite3_stmt* statement) {
    const int code = sqlite3_step(statement);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    if (code != SQLITE_DONE) check(code);
  }

  // No statement may be left.
  void finish() {
    run("COMMIT");
    database_.reset();
    file_.complete();
  }

  void check(int code) const {
    if (code == SQLITE_OK) return;
    const char* reason =
        database_ != nullptr ? sqlite3_errmsg(database_.get()) : sqlite3_errstr(code);
    throw Error(fmt::format("cannot write '{}': {}", file_.path().string(), reason),
                (code & 0xff) == SQLITE_FULL
                    ? "free space on its disk, then repeat the command"
                    : "name a file with --out in a folder that exists and that you may write to");
  }

 private:
  NewFile file_;
  std::unique_ptr<sqlite3, CloseDatabase> database_;  // closed before the file is removed
};

// Binds one row's values by position, from 1.
class Row {
 public:
  Row(const Database& database, sqlite3_stmt* statement)
      : database_(database), statement_(statement) {}

  void integer(int at, std::int64_t value) const {
    database_.check(sqlite3_bind_int64(statement_, at, value));
  }
  void id(int at, std::uint32_t id) const {
    if (id != RecordHeader::kNoId) integer(at, id);
  }
  void text(int at, std::string_view text) const {
    std::string valid;
    if (!is_utf8(text)) {
      append_utf8({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, valid);
      text = valid;
    }
    database_.check(sqlite3_bind_text64(statement_, at, text.empty() ? "" : text.data(),
                                        text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  }
  void blob(int at, Bytes bytes) const {
    database_.check(bytes.empty() ? sqlite3_bind_zeroblob(statement_, at, 0)
                                  : sqlite3_bind_blob64(statement_, at, bytes.data(), bytes.size(),
                                                        SQLITE_TRANSIENT));
  }
  void value(int at, const Field& field) const {
    if (is_json_literal(field)) {
      const auto number = number_of(field);
      if (number && number->is_real()) {
        database_.check(sqlite3_bind_double(statement_, at, number->real()));
        return;
      }
      if (const auto whole = number ? number->as_signed() : std::nullopt) {
        return integer(at, *whole);
      }
    }
    if (is_shown_as_hex(field)) return blob(at, field.data);
    std::string shown;
    append_value(field, shown);
    text(at, shown);
  }

 private:
  const Database& database_;
  sqlite3_stmt* statement_;
};

constexpr int kSession = 1;
constexpr int kTime = 2;
constexpr int kCpu = 3;
constexpr int kPid = 4;
constexpr int kTid = 5;
constexpr int kId = 6;
constexpr int kVersion = 7;
constexpr int kOpcode = 8;
constexpr int kLevel = 9;
constexpr int kActivity = 10;
constexpr int kMessage = 11;
constexpr int kMisfit = 12;
constexpr int kProcess = 13;
constexpr int kFile = 14;
constexpr int kImage = 15;
constexpr int kFirstField = 16;

// One table and its columns, which grow with the events.
class Table {
 public:
  Table(Database& database, std::string name)
      : database_(database), name_(std::move(name)), declared_(kSqliteColumns) {
    std::string column;
    for (char c : std::string(kSqliteColumns) + ",") {
      if (c == ',') {
        taken_.insert(std::exchange(column, {}));
      } else if (c != ' ') {
        column += c;
      }
    }
  }

  const std::string& name() const { return name_; }
  std::uint64_t events() const { return events_; }

  void add(const EventStream& events, bool as_json) {
    find_columns(events.event(), as_json);
    if (!insert_) prepare();
    const Row row(database_, insert_.get());
    bind_header(row, events);
    if (as_json) {
      row.text(column_of("provider", 1), events.event().provider_name);
      row.text(column_of("event", 1), events.event().event_name);
    }
    bind_fields(row, events.event());
    database_.step(insert_.get());
    ++events_;
  }

 private:
  // Where a field at the top goes; kMore: to more_fields.
  struct Place {
    std::size_t field;
    int column;
  };
  static constexpr int kMore = 0;

  void find_columns(const DecodedEvent& event, bool as_json) {
    places_.clear();
    seen_.clear();
    if (as_json) {
      column_of("provider", 1);
      column_of("event", 1);
    }
    bool more = false;
    std::size_t depth = 0;
    for (std::size_t i = 0; i < event.fields.size(); ++i) {
      const Field& field = event.fields[i];
      if (field.kind == Field::Kind::end_array || field.kind == Field::Kind::end_structure) {
        --depth;
        continue;
      }
      const bool top = depth == 0;
      if (field.kind != Field::Kind::value) ++depth;
      if (!top) continue;
      const int column = as_json ? kMore : column_of(field.name, ++seen_[field.name]);
      more = more || column == kMore;
      places_.push_back({i, column});
    }
    if (more) more_column();
  }

  // The column of the times-th field of that name in an event; a new one if need be.
  int column_of(std::string_view name, std::size_t times) {
    key_.assign(name.substr(0, kMaxTableNameBytes));
    if (times > 1) key_ += fmt::format("#{}", times);
    if (const auto at = columns_.find(key_); at != columns_.end()) return at->second;
    if (columns_.size() >= kMaxFieldColumns) return kMore;
    const bool like_first = taken_.contains(lower_case(key_)) && times == 1;
    return add_column(key_, like_first ? "fields." + key_ : key_);
  }

  void more_column() {
    if (more_ == kMore) more_ = add_column(std::string(1, '\0'), std::string(kMoreFields));
  }

  int add_column(const std::string& key, std::string_view wanted) {
    const std::string name = sql_name(free_name(wanted, taken_));
    // The first event's columns are declared together: SQLite reads all tables again when one is
    // altered.
    if (events_ == 0) {
      declared_ += ", " + name;
    } else {
      database_.run(fmt::format("ALTER TABLE {} ADD COLUMN {}", sql_name(name_), name));
    }
    insert_.reset();
    return columns_[key] = kFirstField + static_cast<int>(columns_.size());
  }

  void prepare() {
    if (events_ == 0)
      database_.run(fmt::format("CREATE TABLE {} ({})", sql_name(name_), declared_));
    std::string places = "?";
    const int count = kFirstField - 1 + static_cast<int>(columns_.size());
    for (int i = 1; i < count; ++i) places += ",?";
    insert_ =
        database_.prepared(fmt::format("INSERT INTO {} VALUES ({})", sql_name(name_), places));
  }

  void bind_header(const Row& row, const EventStream& events) {
    const DecodedEvent& event = events.event();
    const RecordHeader& header = event.header;
    row.integer(kSession, static_cast<std::int64_t>(events.session_number()));
    row.integer(kTime, events.elapsed_ns());
    if (events.record().processor != kNoProcessor) row.integer(kCpu, events.record().processor);
    row.id(kPid, header.process_id);
    row.id(kTid, header.thread_id);
    row.integer(kId, header.id);
    row.integer(kVersion, header.version);
    row.integer(kOpcode, header.opcode);
    row.integer(kLevel, header.level);
    if (!header.activity.is_zero()) row.text(kActivity, to_text(header.activity));
    if (!event.message.empty()) row.text(kMessage, event.message);
    text_.clear();
    append_misfits(event, event.complete, " ", text_);
    if (!text_.empty()) row.text(kMisfit, std::string_view(text_).substr(1));
    bind_name(row, kProcess, events, append_process_name);
    bind_name(row, kFile, events, append_file_name);
    bind_name(row, kImage, events, append_image_name);
  }

  void bind_name(const Row& row, int at, const EventStream& events,
                 void (*append)(const NamedEvent&, std::string&)) {
    text_.clear();
    append(events.named(), text_);
    if (!text_.empty()) row.text(at, text_);
  }

  void bind_fields(const Row& row, const DecodedEvent& event) {
    std::vector<Field> more;
    for (const Place& place : places_) {
      const Field& field = event.fields[place.field];
      if (place.column == kMore) {
        const std::size_t end = end_of_field(event.fields, place.field);
        more.insert(more.end(), event.fields.begin() + static_cast<std::ptrdiff_t>(place.field),
                    event.fields.begin() + static_cast<std::ptrdiff_t>(end));
      } else if (field.kind == Field::Kind::value) {
        row.value(place.column, field);
      } else {
        text_.clear();
        append_bracket_json(event.fields, place.field, text_);
        row.text(place.column, text_);
      }
    }
    if (more.empty()) return;
    text_.clear();
    append_fields_json(more, text_);
    row.text(more_, text_);
  }

  Database& database_;
  std::string name_;
  std::string declared_;                          // the columns that it is created with
  std::unordered_set<std::string> taken_;         // columns, in lower case
  std::unordered_map<std::string, int> columns_;  // of fields, by name and number
  int more_ = kMore;
  Statement insert_;
  std::uint64_t events_ = 0;
  std::vector<Place> places_;
  std::unordered_map<std::string_view, std::size_t> seen_;
  std::string key_;
  std::string text_;
};

// All tables of events, by provider and event.
class Tables {
 public:
  explicit Tables(Database& database) : database_(database) {
    taken_ = {"sessions", "event_tables"};
  }

  void add(const EventStream& events) {
    const DecodedEvent& event = events.event();
    key_.assign(event.provider_name).append(1, '\0').append(event.event_name);
    auto at = numbers_.find(key_);
    if (at == numbers_.end() && tables_.size() < kMaxTables) {
      at = numbers_.emplace(key_, tables_.size()).first;
      add_table(event.provider_name, event.event_name);
    }
    if (at != numbers_.end()) {
      tables_[at->second].table->add(events, false);
    } else {
      if (!others_) {
        others_ = std::make_unique<Table>(database_, free_name(kOtherEvents, taken_));
      }
      others_->add(events, true);
    }
  }

  // Writes what each table holds. Returns the number of tables, without the two that describe.
  std::size_t finish() {
    database_.run(
        "CREATE TABLE event_tables (name TEXT, provider TEXT, event TEXT, "
        "events INTEGER)");
    const Statement insert = database_.prepared("INSERT INTO event_tables VALUES (?, ?, ?, ?)");
    const Row row(database_, insert.get());
    for (const Described& one : tables_) {
      row.text(2, one.provider);
      row.text(3, one.event);
      finish_table(*one.table, row, insert.get());
    }
    if (others_) finish_table(*others_, row, insert.get());
    const std::size_t count = tables_.size() + (others_ ? 1 : 0);
    tables_.clear();
    others_.reset();
    return count;
  }

 private:
  struct Described {
    std::string provider;
    std::string event;
    std::unique_ptr<Table> table;
  };

  void add_table(std::string_view provider, std::string_view event) {
    const std::string name = fmt::format("{}/{}", provider.substr(0, kMaxTableNameBytes / 2),
                                         event.substr(0, kMaxTableNameBytes / 2));
    tables_.push_back({std::string(provider.substr(0, kMaxTableNameBytes)),
                       std::string(event.substr(0, kMaxTableNameBytes)),
                       std::make_unique<Table>(database_, free_name(name, taken_))});
  }

  void finish_table(const Table& table, const Row& row, sqlite3_stmt* insert) {
    row.text(1, table.name());
    row.integer(4, static_cast<std::int64_t>(table.events()));
    database_.step(insert);
  }

  Database& database_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<Described> tables_;
  std::unique_ptr<Table> others_;
  std::string key_;
};

void add_session(Database& database, std::size_t number, const LogFileHeader& session) {
  const Statement insert = database.prepared("INSERT INTO sessions VALUES (?, ?, ?, ?, ?)");
  const Row row(database, insert.get());
  row.integer(1, static_cast<std::int64_t>(number));
  row.text(2, session.session_name);
  row.text(3, filetime_text(session.start_filetime));
  row.integer(4, session.events_lost);
  row.integer(5, session.buffers_lost);
  database.step(insert.get());
}

}  // namespace

SqliteCounts write_sqlite(const std::vector<const TraceFile*>& files, Decoder& decoder,
                          const EventFilter& filter, const std::filesystem::path& path,
                          bool replace) {
  Database database(path, replace);
  database.run(
      "CREATE TABLE sessions (session INTEGER PRIMARY KEY, name TEXT, start_utc TEXT, "
      "events_lost INTEGER, buffers_lost INTEGER)");
  Tables tables(database);
  EventStream events(files, decoder, filter);
  const LogFileHeader* session = nullptr;
  SqliteCounts counts;
  while (!InterruptFlag::raised() && events.next()) {
    if (session != &events.session()) {
      add_session(database, events.session_number(), events.session());
    }
    session = &events.session();
    tables.add(events);
  }
  if (InterruptFlag::raised()) return {};
  counts.events = events.passed();
  counts.why_nothing = events.why_nothing();
  counts.tables = tables.finish();
  database.finish();
  return counts;
}

}  // namespace tailgate::etl
