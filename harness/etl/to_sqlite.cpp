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
#include "harness/etl/event_threads.h"
#include "harness/etl/new_file.h"
#include "harness/etl/no_processor.h"
#include "harness/etl/table_row.h"
#include "harness/etl/text.h"
#include "harness/etl/time_zone.h"
#include "harness/etl/value_text.h"
#include "harness/os/process.h"

namespace tailgate::etl {
namespace {

constexpr std::size_t kMaxTables = 4096;
constexpr std::size_t kMaxFieldColumns = 500;
constexpr std::size_t kMaxTableNameBytes = 200;
constexpr std::size_t kRowsAtOnce = 16;  // that one statement inserts
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
    // One thread at a time uses it, so each call need not lock it.
    const int code =
        sqlite3_open_v2(file_.temporary().string().c_str(), &opened,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
    database_.reset(opened);
    check(code);
    // Fewer and larger pages: rows are only added at the end of a table.
    run("PRAGMA page_size = 16384");
    // Nothing has to be undone in a file that is not complete.
    run("PRAGMA journal_mode = OFF");
    run("PRAGMA synchronous = OFF");
    run("BEGIN");
  }

  // Whether a statement may insert several rows of so many columns. Give that back with it.
  bool has_room_for(int columns) {
    const int values = columns * static_cast<int>(kRowsAtOnce);
    const int limit = sqlite3_limit(database_.get(), SQLITE_LIMIT_VARIABLE_NUMBER, -1);
    if (values > std::min(limit, values_left_)) return false;
    values_left_ -= values;
    return true;
  }
  void give_back(int columns) { values_left_ += columns * static_cast<int>(kRowsAtOnce); }

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
  // Of all statements that insert several rows: for a value SQLite keeps some 80 bytes.
  int values_left_ = 65'536;
};

std::string valid_utf8(std::string_view text) {
  return utf8_of({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

// Binds one row's values by position, from 1; behind `before` values of other rows.
class Row {
 public:
  Row(const Database& database, sqlite3_stmt* statement, int before = 0)
      : database_(database), statement_(statement), before_(before) {}

  void integer(int at, std::int64_t value) const {
    database_.check(sqlite3_bind_int64(statement_, before_ + at, value));
  }
  void id(int at, std::uint32_t id) const {
    if (id != RecordHeader::kNoId) integer(at, id);
  }
  // Texts must be valid UTF-8. They and the bytes must stay until the row is inserted.
  void text(int at, std::string_view text) const {
    database_.check(sqlite3_bind_text64(statement_, before_ + at, text.empty() ? "" : text.data(),
                                        text.size(), SQLITE_STATIC, SQLITE_UTF8));
  }
  void text_if_any(int at, std::string_view shown) const {
    if (!shown.empty()) text(at, shown);
  }
  void blob(int at, std::string_view bytes) const {
    database_.check(bytes.empty() ? sqlite3_bind_zeroblob(statement_, before_ + at, 0)
                                  : sqlite3_bind_blob64(statement_, before_ + at, bytes.data(),
                                                        bytes.size(), SQLITE_STATIC));
  }
  void value(int at, const Cell& cell) const {
    switch (cell.kind) {
      case Cell::Kind::none:
        return;
      case Cell::Kind::integer:
      case Cell::Kind::boolean:
        return integer(at, cell.integer);
      case Cell::Kind::real:
        return database_.check(sqlite3_bind_double(statement_, before_ + at, cell.real));
      case Cell::Kind::number:
      case Cell::Kind::text:
      case Cell::Kind::json:
        return text(at, cell.text);
      case Cell::Kind::bytes:
        return blob(at, cell.text);
    }
  }

 private:
  const Database& database_;
  sqlite3_stmt* statement_;
  int before_;
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

// Rows that were inserted, whose memory others use.
class SpareRows {
 public:
  TableRow take() {
    if (rows_.empty()) return {};
    TableRow row = std::move(rows_.back());
    rows_.pop_back();
    return row;
  }
  void give(TableRow&& row) {
    if (rows_.size() < kMaxSpareRows) rows_.push_back(std::move(row));
  }

 private:
  static constexpr std::size_t kMaxSpareRows = 256;
  std::vector<TableRow> rows_;
};

// One table and its columns, which grow with the events.
class Table {
 public:
  Table(Database& database, SpareRows& spare, std::string name)
      : database_(database), spare_(spare), name_(std::move(name)), declared_(kSqliteColumns) {
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

  // Takes the event's row, whose bytes must stay until flush(). Several rows are inserted at once:
  // that is faster. Returns true for the first row since flush().
  bool add(TableRow& event, bool as_json) {
    // Events of one kind have the same names, and the same columns.
    if (names_ != event.names || !any_names_) {
      flush();
      find_columns(event, as_json);
    }
    ++events_;
    waiting_.push_back(std::exchange(event, spare_.take()));
    const bool is_first = waiting_.size() == 1;
    if (more_here_ || as_json || waiting_.size() == kRowsAtOnce) insert_waiting(as_json);
    return is_first;
  }

  void flush() {
    insert_waiting(false);
    waiting_.shrink_to_fit();
  }

 private:
  static constexpr int kMore = 0;  // to more_fields

  void insert_waiting(bool as_json) {
    if (waiting_.size() == kRowsAtOnce && can_insert_several()) {
      insert_several();
    } else {
      for (const TableRow& row : waiting_) insert_one(row, as_json);
    }
    for (TableRow& row : waiting_) spare_.give(std::move(row));
    waiting_.clear();
  }

  void insert_one(const TableRow& event, bool as_json) {
    if (!insert_) prepare();
    const Row row(database_, insert_.get());
    bind_header(row, event);
    if (as_json) {
      row.text(column_of("provider", 1), event.text(RowText::provider));
      row.text(column_of("event", 1), event.text(RowText::event));
    }
    bind_fields(row, event);
    database_.step(insert_.get());
  }

  void insert_several() {
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      const Row row(database_, several_.get(), static_cast<int>(i) * columns());
      bind_header(row, waiting_[i]);
      bind_fields(row, waiting_[i]);
    }
    database_.step(several_.get());
  }

  // Not while there is no room for the statement.
  bool can_insert_several() {
    if (several_) return true;
    if (!insert_) prepare();
    if (!database_.has_room_for(columns())) return false;
    several_ = prepared(kRowsAtOnce);
    return true;
  }

  int columns() const { return kFirstField - 1 + static_cast<int>(columns_.size()); }

  void find_columns(const TableRow& event, bool as_json) {
    names_ = event.names;
    any_names_ = true;
    places_.clear();
    if (as_json) {
      column_of("provider", 1);
      column_of("event", 1);
    }
    bool more = false;
    std::unordered_map<std::string_view, std::size_t> seen;
    for (const std::string_view name : row_names(event)) {
      const int column = as_json ? kMore : column_of(name, ++seen[name]);
      more = more || column == kMore;
      places_.push_back(column);
    }
    more_here_ = more;
    if (more) more_column();
  }

  // The column of the times-th field of that name in an event; a new one if need be.
  int column_of(std::string_view name, std::size_t times) {
    key_.assign(name);
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
    if (!created_) {
      declared_ += ", " + name;
    } else {
      database_.run(fmt::format("ALTER TABLE {} ADD COLUMN {}", sql_name(name_), name));
    }
    insert_.reset();
    if (several_) database_.give_back(columns());
    several_.reset();
    return columns_[key] = kFirstField + static_cast<int>(columns_.size());
  }

  void prepare() {
    if (!created_) {
      database_.run(fmt::format("CREATE TABLE {} ({})", sql_name(name_), declared_));
    }
    created_ = true;
    insert_ = prepared(1);
  }

  Statement prepared(std::size_t rows) {
    std::string places = "(?";
    for (int i = 1; i < columns(); ++i) places += ",?";
    places += ')';
    std::string sql = fmt::format("INSERT INTO {} VALUES {}", sql_name(name_), places);
    for (std::size_t row = 1; row < rows; ++row) sql += ',' + places;
    return database_.prepared(sql);
  }

  static void bind_header(const Row& row, const TableRow& event) {
    const RowHead& head = event.head;
    row.integer(kSession, static_cast<std::int64_t>(head.session_number));
    row.integer(kTime, head.time_ns);
    if (head.processor != kNoProcessor) row.integer(kCpu, head.processor);
    row.id(kPid, head.process_id);
    row.id(kTid, head.thread_id);
    row.integer(kId, head.id);
    row.integer(kVersion, head.version);
    row.integer(kOpcode, head.opcode);
    row.integer(kLevel, head.level);
    row.text_if_any(kActivity, event.text(RowText::activity));
    row.text_if_any(kMessage, event.text(RowText::message));
    row.text_if_any(kMisfit, event.text(RowText::misfit));
    row.text_if_any(kProcess, event.text(RowText::process));
    row.text_if_any(kFile, event.text(RowText::file));
    row.text_if_any(kImage, event.text(RowText::image));
  }

  void bind_fields(const Row& row, const TableRow& event) {
    bool more = false;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (places_[i] == kMore) {
        more = true;
      } else {
        row.value(places_[i], event.cells[i]);
      }
    }
    if (!more) return;
    collect_more(event);
    row.text(more_, more_text_);
  }

  // The fields that have no column, as a JSON object.
  void collect_more(const TableRow& event) {
    const std::vector<std::string_view> names = row_names(event);
    std::unordered_map<std::string_view, std::size_t> seen;
    more_text_ = "{";
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (places_[i] != kMore) continue;
      if (more_text_.size() > 1) more_text_ += ',';
      const std::size_t same = ++seen[names[i]];
      append_json_string(same == 1 ? std::string(names[i]) : fmt::format("{}#{}", names[i], same),
                         more_text_);
      more_text_ += ':';
      event.cells[i].append_json(more_text_);
    }
    more_text_ += '}';
  }

  Database& database_;
  SpareRows& spare_;
  std::string name_;
  std::string declared_;                          // the columns that it is created with
  std::unordered_set<std::string> taken_;         // columns, in lower case
  std::unordered_map<std::string, int> columns_;  // of fields, by name and number
  int more_ = kMore;
  bool created_ = false;
  Statement insert_;
  Statement several_;  // inserts kRowsAtOnce of them
  std::uint64_t events_ = 0;
  std::vector<TableRow> waiting_;  // to be inserted together
  std::string names_;              // of the event that places_ is for
  bool any_names_ = false;
  bool more_here_ = false;   // some of its fields have no column
  std::vector<int> places_;  // the column of each field
  std::string key_;
  std::string more_text_;
};

// All tables of events, by provider and event.
class Tables {
 public:
  explicit Tables(Database& database) : database_(database) {
    taken_ = {"sessions", "event_tables"};
  }

  // Takes the row, whose bytes must stay until flush().
  void add(TableRow& event) {
    const std::string_view provider = event.text(RowText::provider);
    const std::string_view name = event.text(RowText::event);
    key_.assign(provider).append(1, '\0').append(name);
    auto at = numbers_.find(key_);
    if (at == numbers_.end() && tables_.size() < kMaxTables) {
      at = numbers_.emplace(key_, tables_.size()).first;
      add_table(provider, name);
    }
    if (at != numbers_.end()) {
      Table& table = *tables_[at->second].table;
      if (table.add(event, false)) waiting_.push_back(&table);
    } else {
      if (!others_) {
        others_ = std::make_unique<Table>(database_, spare_, free_name(kOtherEvents, taken_));
      }
      others_->add(event, true);
    }
  }

  void flush() {
    for (Table* table : waiting_) table->flush();
    waiting_.clear();
  }

  // Writes what each table holds. Returns the number of tables, without the two that describe.
  std::size_t finish() {
    database_.run(
        "CREATE TABLE event_tables (name TEXT, provider TEXT, event TEXT, "
        "events INTEGER)");
    const Statement insert = database_.prepared("INSERT INTO event_tables VALUES (?, ?, ?, ?)");
    const Row row(database_, insert.get());
    for (const Described& one : tables_) {
      // A cut may have split a character.
      const std::string provider = valid_utf8(one.provider);
      const std::string event = valid_utf8(one.event);
      row.text(2, provider);
      row.text(3, event);
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
                       std::make_unique<Table>(database_, spare_, free_name(name, taken_))});
  }

  void finish_table(const Table& table, const Row& row, sqlite3_stmt* insert) {
    row.text(1, table.name());
    row.integer(4, static_cast<std::int64_t>(table.events()));
    database_.step(insert);
  }

  Database& database_;
  SpareRows spare_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<Described> tables_;
  std::unique_ptr<Table> others_;
  std::vector<Table*> waiting_;  // with rows that may not be inserted yet
  std::string key_;
};

struct RowFormatter : EventFormatter {
  void append(const EventView& view, bool, const EventBlock& block, std::string& out) override {
    append_row(view, block.session_number, out);
  }
};

void add_session(Database& database, std::size_t number, const LogFileHeader& session) {
  const Statement insert = database.prepared("INSERT INTO sessions VALUES (?, ?, ?, ?, ?)");
  const Row row(database, insert.get());
  row.integer(1, static_cast<std::int64_t>(number));
  const std::string name = valid_utf8(session.session_name);
  const std::string start = filetime_text(session.start_filetime);
  row.text(2, name);
  row.text(3, start);
  row.integer(4, session.events_lost);
  row.integer(5, session.buffers_lost);
  database.step(insert.get());
}

}  // namespace

SqliteCounts write_sqlite(const std::vector<const TraceFile*>& files, Decoder& decoder,
                          const SqliteOptions& options, const std::filesystem::path& path) {
  Database database(path, options.replace);
  database.run(
      "CREATE TABLE sessions (session INTEGER PRIMARY KEY, name TEXT, start_utc TEXT, "
      "events_lost INTEGER, buffers_lost INTEGER)");
  Tables tables(database);
  std::vector<std::unique_ptr<EventFormatter>> formatters;
  while (formatters.size() < std::max(options.threads, 1u)) {
    formatters.push_back(std::make_unique<RowFormatter>());
  }
  const LogFileHeader* session = nullptr;
  TableRow row;
  SqliteCounts counts;
  const auto insert = [&](std::string_view rows) {
    while (take_row(rows, row)) {
      if (InterruptFlag::raised()) return false;
      if (session != row.head.session) {
        add_session(database, row.head.session_number, *row.head.session);
      }
      session = row.head.session;
      tables.add(row);
      ++counts.events;
    }
    tables.flush();
    return true;
  };
  const FormattedEvents done =
      format_on_threads(files, decoder, options.filter, formatters, insert);
  if (done.stopped || InterruptFlag::raised()) return {};
  counts.why_nothing = done.why_nothing;
  counts.tables = tables.finish();
  database.finish();
  return counts;
}

}  // namespace tailgate::etl
