// Any bytes as a text: what is made of it for each kind of output keeps the rules of that output.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "harness/base/quoting.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tailgate;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto expect = [](bool holds) {
    if (!holds) std::abort();
  };
  const std::string shown = printable(text);
  expect(printable(shown) == shown && shown.find('\n') == std::string::npos);
  const std::string lines = printable_lines(text);
  expect(printable_lines(lines) == lines);
  const std::string tsv = tsv_cell(text);
  expect(printable(tsv) == tsv);
  const std::string cell = csv_cell(text);
  expect(cell.find('\r') == std::string::npos && cell.find('\t') == std::string::npos);
  if (!cell.empty() && cell[0] != '"') expect(cell.find_first_of(",\"\n") == std::string::npos);
  const std::string markdown = markdown_text(text);
  expect(printable(markdown) == markdown);
  for (std::size_t bar = markdown.find('|'); bar != std::string::npos;
       bar = markdown.find('|', bar + 1)) {
    expect(bar > 0 && markdown[bar - 1] == '\\');
  }
  expect(xml_attribute(text).find_first_of("<>\"'\n\r\t") == std::string::npos);
  std::uint64_t replaced = 0;
  const std::string xml = xml_text(text, replaced);
  expect(replaced <= text.size() && is_utf8(xml));
  expect(xml.find_first_of("<>\"'\n\r\t") == std::string::npos);
  const std::string json = json_text(std::string(text));
  expect(json_text(json) == json);
  return 0;
}
