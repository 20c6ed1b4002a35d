#include "harness/history/database.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace tailgate::history {
namespace {

// Rows of one statement, at most. SQLite takes 32766 parameters, PostgreSQL 65535.
constexpr std::size_t kMostRows = 512;

// "VALUES ($1, $2), ($3, $4)"
std::string values_clause(std::size_t rows, std::size_t columns) {
  std::string clause = "VALUES ";
  std::size_t parameter = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    clause += row == 0 ? "(" : ", (";
    for (std::size_t column = 0; column < columns; ++column) {
      clause += fmt::format("{}${}", column == 0 ? "" : ", ", ++parameter);
    }
    clause += ")";
  }
  return clause;
}

}  // namespace

void insert_rows(Database& database, const std::string& into, const std::vector<Row>& rows) {
  for (std::size_t done = 0; done < rows.size();) {
    const std::size_t count = std::bit_floor(std::min(rows.size() - done, kMostRows));
    Row parameters;
    for (std::size_t i = done; i < done + count; ++i) {
      parameters.insert(parameters.end(), rows[i].begin(), rows[i].end());
    }
    database.run("INSERT INTO " + into + " " + values_clause(count, rows[done].size()), parameters);
    done += count;
  }
}

// One after the other: for DISTINCT PostgreSQL would read the whole table.
std::string earlier_night(Database& database, const std::string& table, const std::string& until,
                          std::size_t count) {
  const auto latest = [&](const char* comparison, const std::string& night) {
    const std::string from = " FROM " + table;
    const std::vector<Row> rows = night.empty()
                                      ? database.run("SELECT coalesce(max(night), '')" + from)
                                      : database.run("SELECT coalesce(max(night), '')" + from +
                                                         " WHERE night " + comparison + " $1",
                                                     {night});
    return text_in(rows.at(0).at(0));
  };
  std::string found = latest("<=", until);
  for (std::size_t i = 1; i < count && !found.empty(); ++i) {
    const std::string next = latest("<", found);
    if (next.empty()) break;
    found = next;
  }
  return found;
}

}  // namespace tailgate::history
