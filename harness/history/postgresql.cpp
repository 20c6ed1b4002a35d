// The history on a server.
#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "harness/base/quoting.h"
#include "harness/history/database.h"
#include "harness/history/libpq.h"

namespace tailgate::history {
namespace {

// Types of columns (PostgreSQL's catalog pg_type.dat): their numbers are fixed.
constexpr Oid kBytea = 17;
constexpr Oid kInt8 = 20;
constexpr Oid kInt2 = 21;
constexpr Oid kInt4 = 23;
constexpr Oid kFloat4 = 700;
constexpr Oid kFloat8 = 701;

// Whoever changes the tables holds this lock of the database; the number means nothing.
constexpr const char* kLockAlone = "SELECT pg_advisory_xact_lock(7446981244)";

struct ClearResult {
  void operator()(PGresult* result) const { libpq().PQclear(result); }
};
using ServerResult = std::unique_ptr<PGresult, ClearResult>;

struct CloseConnection {
  void operator()(PGconn* connection) const { libpq().PQfinish(connection); }
};

// One line of what libpq says, which may be several.
std::string one_line(const char* message) {
  std::string line = message != nullptr ? message : "";
  while (!line.empty() && (line.back() == '\n' || line.back() == ' ')) line.pop_back();
  for (char& c : line) {
    if (c == '\n' || c == '\t') c = ' ';
  }
  return printable(line);
}

// The server, the port and the database of a URL, without user and password.
std::string place_of(const std::string& url) {
  char* error = nullptr;
  PQconninfoOption* const options = libpq().PQconninfoParse(url.c_str(), &error);
  if (options == nullptr) {
    const std::string why = one_line(error);
    libpq().PQfreemem(error);
    throw Error("the history's address is no URL of PostgreSQL: " + why,
                "give one as postgresql://USER@HOST:PORT/DATABASE; %40 stands for a '@' in a part");
  }
  std::string host;
  std::string port;
  std::string database;
  for (const PQconninfoOption* option = options; option->keyword != nullptr; ++option) {
    const std::string_view name = option->keyword;
    const std::string value = option->val != nullptr ? option->val : "";
    if (name == "host") host = value;
    if (name == "port" && !value.empty()) port = ":" + value;
    if (name == "dbname") database = value;
  }
  libpq().PQconninfoFree(options);
  return printable("postgresql://" + host + port + "/" + database);
}

// What the class of an SQLSTATE (PostgreSQL, Appendix A) means to the user.
std::string remedy_for(std::string_view state) {
  if (state == "42501") return "let this user create and write tables there (GRANT)";
  if (state == "25006") return "name the primary server: this one takes no writes";
  if (state.starts_with("53")) return "free space, memory or connections on the server";
  if (state.starts_with("28")) return "give the user and password that the server expects";
  if (state == "3D000") return "make the database first: createdb NAME";
  return "check the server and its log";
}

class Postgresql : public Database {
 public:
  Postgresql(const std::string& url, Access access) : place_(place_of(url)) {
    connection_.reset(libpq().PQconnectdb(url.c_str()));
    if (libpq().PQstatus(connection_.get()) != CONNECTION_OK) {
      throw UnreachableError(
          fmt::format("the history '{}' cannot be reached: {}", place_,
                      one_line(libpq().PQerrorMessage(connection_.get()))),
          "start the server, or check host, port, database, user and password of --history");
    }
    libpq().PQsetNoticeProcessor(
        connection_.get(), [](void*, const char*) {}, nullptr);
    command("SET client_encoding = 'UTF8'");
    // An append does not wait for the disk; sync() does.
    command("SET synchronous_commit = off");
    // A generic plan does not know how few documents a query asks for, and reads all of them. A
    // report makes many short queries: to start workers or to compile takes longer than most.
    command("SET plan_cache_mode = force_custom_plan");
    command("SET max_parallel_workers_per_gather = 0");
    command("SET jit = off");
    if (access == Access::read) command("SET default_transaction_read_only = on");
  }

  std::vector<Row> run(const std::string& sql, const Row& parameters = {}) override {
    const std::string& name = prepared(sql, parameters.size());
    std::vector<std::string> texts(parameters.size());
    std::vector<const char*> values(parameters.size());
    std::vector<int> lengths(parameters.size());
    std::vector<int> formats(parameters.size());
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const std::string* text = text_of(parameters[i], texts[i]);
      if (text == nullptr) continue;
      values[i] = text->data();
      lengths[i] = static_cast<int>(text->size());
      formats[i] = std::holds_alternative<Bytes>(parameters[i]) ? 1 : 0;
    }
    const ServerResult result = checked(
        libpq().PQexecPrepared(connection_.get(), name.c_str(), static_cast<int>(parameters.size()),
                               values.data(), lengths.data(), formats.data(), 0));
    return rows_of(result.get());
  }

  void begin(bool alone) override {
    command("BEGIN");
    if (alone) command(kLockAlone);
  }
  void commit() override { command("COMMIT"); }
  void rollback() noexcept override {
    if (libpq().PQtransactionStatus(connection_.get()) == PQTRANS_IDLE) return;
    const ServerResult ignored(libpq().PQexec(connection_.get(), "ROLLBACK"));
  }

  // A commit that waits for the disk takes those before it along.
  void sync() override {
    command("BEGIN");
    command("SET LOCAL synchronous_commit = on");
    command("UPDATE tailgate_history SET version = version");
    command("COMMIT");
  }

  std::vector<std::string> tables() override {
    std::vector<std::string> names;
    for (const Row& row :
         run("SELECT CAST(tablename AS TEXT) FROM pg_tables WHERE schemaname = current_schema()"
             " ORDER BY 1")) {
      names.push_back(std::get<std::string>(row[0]));
    }
    return names;
  }

  std::string in_dialect(std::string sql) const override {
    return fmt::format(fmt::runtime(sql),
                       fmt::arg("identity", "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY"),
                       fmt::arg("by_key", ""));
  }

  const std::string& place() const override { return place_; }

 private:
  void command(const char* sql) { checked(libpq().PQexec(connection_.get(), sql)); }

  const std::string& prepared(const std::string& sql, std::size_t parameters) {
    const auto known = statements_.find(sql);
    if (known != statements_.end()) return known->second;
    const std::string name = fmt::format("s{}", statements_.size());
    checked(libpq().PQprepare(connection_.get(), name.c_str(), sql.c_str(),
                              static_cast<int>(parameters), nullptr));
    return statements_.emplace(sql, name).first->second;
  }

  // The parameter as the server reads it; nullptr: NULL.
  static const std::string* text_of(const Value& value, std::string& made) {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) made = fmt::format("{}", *whole);
    if (const auto* real = std::get_if<double>(&value)) made = fmt::format("{}", *real);
    if (const auto* text = std::get_if<std::string>(&value)) return text;
    if (const auto* bytes = std::get_if<Bytes>(&value)) return &bytes->data;
    return std::holds_alternative<std::monostate>(value) ? nullptr : &made;
  }

  std::vector<Row> rows_of(const PGresult* result) const {
    const int columns = libpq().PQnfields(result);
    std::vector<Row> rows(static_cast<std::size_t>(libpq().PQntuples(result)));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (int column = 0; column < columns; ++column) {
        rows[i].push_back(value_of(result, static_cast<int>(i), column));
      }
    }
    return rows;
  }

  Value value_of(const PGresult* result, int row, int column) const {
    if (libpq().PQgetisnull(result, row, column) != 0) return {};
    const char* const value = libpq().PQgetvalue(result, row, column);
    const auto length = static_cast<std::size_t>(libpq().PQgetlength(result, row, column));
    switch (libpq().PQftype(result, column)) {
      case kInt2:
      case kInt4:
      case kInt8:
        return number<std::int64_t>(value, length);
      case kFloat4:
      case kFloat8:
        return number<double>(value, length);
      case kBytea: {
        std::size_t size = 0;
        auto* const bytes = reinterpret_cast<char*>(
            libpq().PQunescapeBytea(reinterpret_cast<const unsigned char*>(value), &size));
        if (bytes == nullptr) throw std::bad_alloc();
        Bytes copied{std::string(bytes, size)};
        libpq().PQfreemem(bytes);
        return copied;
      }
      default:
        return std::string(value, length);
    }
  }

  template <class Number>
  Value number(const char* value, std::size_t length) const {
    Number read{};
    if (std::from_chars(value, value + length, read).ec == std::errc()) return read;
    throw Error(fmt::format("the server of '{}' answered '{}' for a number", place_,
                            printable(std::string_view(value, length))),
                "check the server and its log");
  }

  // The result of a call that succeeded.
  ServerResult checked(PGresult* made) const {
    ServerResult result(made);
    const ExecStatusType status = libpq().PQresultStatus(made);
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return result;
    const std::string why = one_line(libpq().PQerrorMessage(connection_.get()));
    const char* const field = libpq().PQresultErrorField(made, PG_DIAG_SQLSTATE);
    const std::string_view state = field != nullptr ? field : "";
    // An error without a state is one of the connection, 57P one of a server that ends.
    if (state.empty() || state.starts_with("57P") || state.starts_with("08")) {
      throw UnreachableError(
          fmt::format("the server of '{}' went away: {}", place_, why),
          "repeat the command when it runs again: what is stored already counts once");
    }
    const std::string what = fmt::format("the history '{}' cannot be used: {}", place_, why);
    if (state.starts_with("40")) throw ConflictError(what, "repeat the command");
    throw Error(what, remedy_for(state));
  }

  std::string place_;
  std::unique_ptr<PGconn, CloseConnection> connection_;
  std::map<std::string, std::string> statements_;  // names of prepared statements, by their text
};

}  // namespace

std::unique_ptr<Database> open_postgresql(const std::string& url, Access access) {
  return std::make_unique<Postgresql>(url, access);
}

}  // namespace tailgate::history
