#include "harness/etl/json_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "harness/base/quoting.h"

namespace tailgate::etl {

void append_json_table(std::string_view title, const nlohmann::ordered_json& rows,
                       std::size_t max_rows, std::string& out) {
  out += fmt::format("\n{}\n", title);
  if (rows.empty()) {
    out += "  none\n";
    return;
  }
  std::vector<std::vector<std::string>> cells(1);
  for (const auto& [key, value] : rows.front().items()) cells[0].push_back(key);
  for (std::size_t i = 0; i < rows.size() && i < max_rows; ++i) {
    auto& line = cells.emplace_back();
    for (const auto& [key, value] : rows[i].items()) {
      line.push_back(value.is_string()         ? printable(value.get<std::string>())
                     : value.is_null()         ? "-"
                     : value.is_number_float() ? fmt::format("{:.6g}", value.get<double>())
                                               : value.dump());
    }
  }
  std::vector<std::size_t> widths(cells[0].size());
  for (const auto& line : cells) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  for (const auto& line : cells) {
    out += ' ';
    for (std::size_t i = 0; i < line.size(); ++i) out += fmt::format(" {:>{}}", line[i], widths[i]);
    out += '\n';
  }
  if (rows.size() > max_rows) out += fmt::format("  ... {} more\n", rows.size() - max_rows);
}

}  // namespace tailgate::etl
