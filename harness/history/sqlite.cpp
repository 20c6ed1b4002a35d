// The history in one file.
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "harness/history/database.h"

namespace tailgate::history {
namespace {

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
struct EndStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, EndStatement>;

struct Explanation {
  std::string what;
  std::string remedy;
};

// What the code of a failed call means to the user.
Explanation explained(int code, std::chrono::milliseconds patience) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {fmt::format("is locked by another program for more than {} s",
                          std::chrono::ceil<std::chrono::seconds>(patience).count()),
              "wait until that has ended, or end it"};
    case SQLITE_FULL:
      return {"cannot grow: the disk is full", "free space on its disk, then repeat the command"};
    case SQLITE_READONLY:
      return {"may not be written", "name a file in a folder that you may write to"};
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return {"cannot be opened", "name a file, in a folder that exists, that you may use"};
    case SQLITE_NOTADB:
      return {"is no SQLite database", "name a history of tailgate, or a file that does not exist"};
    case SQLITE_CORRUPT:
      return {"is damaged", "restore a copy, or name a new file and import the documents again"};
    default:
      return {"cannot be used", "check the file, its disk and its folder"};
  }
}

// SQLite takes "$7" for a name, which each binding would search for; "?7" is the seventh.
std::string with_numbers(std::string sql) {
  std::replace(sql.begin(), sql.end(), '$', '?');
  return sql;
}

class Sqlite : public Database {
 public:
  Sqlite(std::string path, Access access, std::chrono::milliseconds patience)
      : place_(std::move(path)), patience_(patience) {
    if (access == Access::write) {
      open(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "");
      use_log();
      return;
    }
    try {
      open(SQLITE_OPEN_READONLY, "");
    } catch (const Error&) {
      // Where the folder may not be written, readers cannot share the log; without a log they need
      // not, as nobody writes.
      std::error_code ignored;
      const int code = sqlite3_errcode(database_.get()) & 0xff;
      const bool refused = code == SQLITE_CANTOPEN || code == SQLITE_READONLY;
      if (!refused || std::filesystem::exists(place_ + "-wal", ignored)) throw;
      open(SQLITE_OPEN_READONLY, "?immutable=1");
    }
  }

  std::vector<Row> run(const std::string& sql, const Row& parameters = {}) override {
    sqlite3_stmt* const statement = prepared(sql);
    bind(statement, parameters);
    std::vector<Row> rows;
    int code = sqlite3_step(statement);
    for (; code == SQLITE_ROW; code = sqlite3_step(statement)) rows.push_back(row_of(statement));
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    if (code != SQLITE_DONE) check(code);
    return rows;
  }

  void begin(bool) override { run("BEGIN IMMEDIATE"); }
  void commit() override { run("COMMIT"); }
  void rollback() noexcept override {
    sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
  }

  // Commits reach the write-ahead log, which only a checkpoint syncs to the disk.
  void sync() override { run("PRAGMA wal_checkpoint(PASSIVE)"); }

  std::vector<std::string> tables() override {
    std::vector<std::string> names;
    for (const Row& row : run("SELECT name FROM sqlite_master WHERE type = 'table'")) {
      names.push_back(std::get<std::string>(row[0]));
    }
    return names;
  }

  std::string in_dialect(std::string sql) const override {
    return fmt::format(fmt::runtime(sql), fmt::arg("identity", "INTEGER PRIMARY KEY"),
                       fmt::arg("by_key", " WITHOUT ROWID"));
  }

  const std::string& place() const override { return place_; }

 private:
  // The file is read for the first time here: what is wrong with it shows.
  void open(int flags, const char* options) {
    std::string uri = "file:";
    for (const char c : place_) {
      const bool plain = c != '%' && c != '?' && c != '#';
      uri += plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
    }
    sqlite3* opened = nullptr;
    const int code = sqlite3_open_v2((uri + options).c_str(), &opened,
                                     flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
    statements_.clear();
    database_.reset(opened);
    check(code);
    sqlite3_busy_timeout(opened, static_cast<int>(patience_.count()));
    run("PRAGMA cache_size = -65536");  // 64 MiB
    run("SELECT count(*) FROM sqlite_master");
  }

  // Readers and a writer do not wait for each other, and a commit does not wait for the disk:
  // after a loss of power the last documents may be missing, and nothing is damaged.
  void use_log() {
    run("PRAGMA journal_mode = WAL");
    run("PRAGMA synchronous = NORMAL");
    // Each run writes to the same pages again, at the end of each series: with a log of 16 MiB a
    // checkpoint copies them once for several hundred runs.
    run("PRAGMA wal_autocheckpoint = 4000");
  }

  sqlite3_stmt* prepared(const std::string& sql) {
    Statement& kept = statements_[sql];
    if (kept == nullptr) {
      sqlite3_stmt* made = nullptr;
      const std::string numbered = with_numbers(sql);
      const int code = sqlite3_prepare_v3(database_.get(), numbered.c_str(),
                                          static_cast<int>(numbered.size()) + 1,
                                          SQLITE_PREPARE_PERSISTENT, &made, nullptr);
      kept.reset(made);
      if (code != SQLITE_OK) {
        statements_.erase(sql);
        check(code);
      }
    }
    return kept.get();
  }

  void bind(sqlite3_stmt* statement, const Row& parameters) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const int at = static_cast<int>(i) + 1;
      const Value& value = parameters[i];
      int code = SQLITE_OK;
      if (const auto* whole = std::get_if<std::int64_t>(&value)) {
        code = sqlite3_bind_int64(statement, at, *whole);
      } else if (const auto* real = std::get_if<double>(&value)) {
        code = sqlite3_bind_double(statement, at, *real);
      } else if (const auto* text = std::get_if<std::string>(&value)) {
        code = sqlite3_bind_text64(statement, at, text->data(), text->size(), SQLITE_STATIC,
                                   SQLITE_UTF8);
      } else if (const auto* bytes = std::get_if<Bytes>(&value)) {
        code = sqlite3_bind_blob64(statement, at, bytes->data.data(), bytes->data.size(),
                                   SQLITE_STATIC);
      } else {
        code = sqlite3_bind_null(statement, at);
      }
      check(code);
    }
  }

  static Row row_of(sqlite3_stmt* statement) {
    Row row;
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      const auto size = [&] {
        return static_cast<std::size_t>(sqlite3_column_bytes(statement, i));
      };
      switch (sqlite3_column_type(statement, i)) {
        case SQLITE_INTEGER:
          row.emplace_back(std::int64_t{sqlite3_column_int64(statement, i)});
          break;
        case SQLITE_FLOAT:
          row.emplace_back(sqlite3_column_double(statement, i));
          break;
        case SQLITE_TEXT: {
          const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
          row.emplace_back(std::string(text, size()));
          break;
        }
        case SQLITE_BLOB: {
          const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, i));
          row.emplace_back(Bytes{std::string(bytes, size())});
          break;
        }
        default:
          row.emplace_back();
      }
    }
    return row;
  }

  void check(int code) const {
    if (code == SQLITE_OK) return;
    const Explanation why = explained(code, patience_);
    const char* details =
        database_ != nullptr ? sqlite3_errmsg(database_.get()) : sqlite3_errstr(code);
    throw Error(fmt::format("the history '{}' {} (SQLite: {})", place_, why.what, details),
                why.remedy);
  }

  std::string place_;
  std::chrono::milliseconds patience_;
  std::unique_ptr<sqlite3, CloseDatabase> database_;
  std::map<std::string, Statement> statements_;  // ended before the database is closed
};

}  // namespace

std::unique_ptr<Database> open_sqlite(const std::string& path, Access access,
                                      std::chrono::milliseconds patience) {
  std::error_code ignored;
  if (access == Access::read && !std::filesystem::exists(path, ignored)) {
    throw Error(fmt::format("there is no history '{}'", path),
                "'tailgate history import FILE...' makes one; or name another with --history");
  }
  return std::make_unique<Sqlite>(path, access, patience);
}

}  // namespace tailgate::history
