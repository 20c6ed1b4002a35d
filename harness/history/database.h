// A database that the history lies in: SQL with the parameters $1, $2 …, in the part of the
// language that SQLite and PostgreSQL have in common. Everything above this interface is written
// once.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "harness/base/error.h"

namespace tailgate::history {

struct Bytes {
  std::string data;

  auto operator<=>(const Bytes&) const = default;
};

using Value = std::variant<std::monostate, std::int64_t, double, std::string, Bytes>;

// The value of a column of type TEXT that is never NULL. Throws std::bad_variant_access for others.
inline const std::string& text_in(const Value& value) {
  return std::get<std::string>(value);
}
using Row = std::vector<Value>;

// How a database is opened.
enum class Access {
  read,   // what is not there is not made, and nothing is written
  write,  // what is not there is made
};

// Throws Error from every call: what failed, the database, what to do.
class Database {
 public:
  virtual ~Database() = default;

  // Runs one statement and returns its rows. Statements are prepared once.
  virtual std::vector<Row> run(const std::string& sql, const Row& parameters = {}) = 0;

  // From begin() to commit() nobody sees what this connection writes; rollback() undoes it, and so
  // does the end of the process or of the connection. Two SQLite writers never overlap; of
  // PostgreSQL's, those that begin with `alone` do not.
  virtual void begin(bool alone = false) = 0;
  virtual void commit() = 0;
  virtual void rollback() noexcept = 0;

  // Returns when everything that was committed is on the disk.
  virtual void sync() = 0;

  // The names of the tables in it.
  virtual std::vector<std::string> tables() = 0;

  // Replaces what the two languages write differently, see schema.cpp.
  virtual std::string in_dialect(std::string sql) const = 0;

  // The database for messages, without passwords.
  virtual const std::string& place() const = 0;
};

// The server cannot be reached, or went away: the same may succeed later.
class UnreachableError : public Error {
 public:
  using Error::Error;
};

// Two writers waited for each other, and the database undid the transaction of this one, which may
// try again at once.
class ConflictError : public Error {
 public:
  using Error::Error;
};

// Calls the action, and again where the database undid it for another writer's sake.
template <class Action>
auto retried(Action action) {
  constexpr int kTries = 5;
  constexpr std::chrono::milliseconds kBetweenTries{50};
  for (int tried = 1;; ++tried) {
    try {
      return action();
    } catch (const ConflictError&) {
      if (tried == kTries) throw;
      std::this_thread::sleep_for(kBetweenTries);
    }
  }
}

// A transaction that is undone unless commit() is called.
class Transaction {
 public:
  explicit Transaction(Database& database, bool alone = false) : database_(database) {
    database_.begin(alone);
  }
  ~Transaction() {
    if (!committed_) database_.rollback();
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit() {
    database_.commit();
    committed_ = true;
  }

 private:
  Database& database_;
  bool committed_ = false;
};

// Inserts rows of equal length by few statements, each of 1, 2, 4 … of them: there are few
// different statements, so that they stay prepared. into: "figures (series, document, value)".
void insert_rows(Database& database, const std::string& into, const std::vector<Row>& rows);

// The night that is the count-th last one of a table, up to `until` unless that is empty; the first
// one if there are fewer; empty: there is none. The table has an index that begins with its nights.
std::string earlier_night(Database& database, const std::string& table, const std::string& until,
                          std::size_t count);

// Whether the place names a PostgreSQL server: postgresql:// or postgres://.
bool is_server(const std::string& place);

// Opens a file. patience: how long a call waits for another writer; each needs milliseconds. Throws
// Error where this build has no SQLite.
std::unique_ptr<Database> open_sqlite(
    const std::string& path, Access access,
    std::chrono::milliseconds patience = std::chrono::seconds(20));

// Connects to a server. Throws Error where this build or this machine has no libpq.
std::unique_ptr<Database> open_postgresql(const std::string& url, Access access);

}  // namespace tailgate::history
