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

}  // namespace tailgate::history
