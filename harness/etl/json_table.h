// Tables of text from the rows of a JSON report.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace tailgate::etl {

// Appends a table of the rows' values with their keys as headings; a column is as wide as its
// widest cell. rows: an array of objects with the same keys.
void append_json_table(std::string_view title, const nlohmann::ordered_json& rows,
                       std::size_t max_rows, std::string& out);

}  // namespace tailgate::etl
