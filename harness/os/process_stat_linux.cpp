#include "harness/os/process_stat_linux.h"

#include <charconv>
#include <fstream>
#include <system_error>

namespace tailgate {
namespace {

// Takes fields that single blanks separate, from the front of the text.
class Fields {
 public:
  explicit Fields(std::string_view text) : text_(text) {}

  std::string_view next() {
    const std::size_t end = text_.find_first_of(" \n");
    const std::string_view field = text_.substr(0, end);
    text_ = end == std::string_view::npos ? std::string_view() : text_.substr(end + 1);
    return field;
  }
  void skip(int count) {
    for (; count > 0; --count) next();
  }
  // Returns false when the next field is no number of that type.
  template <class Number>
  bool take(Number& number) {
    const std::string_view field = next();
    const char* const end = field.data() + field.size();
    const auto [at, error] = std::from_chars(field.data(), end, number);
    return error == std::errc() && at == end;
  }

 private:
  std::string_view text_;
};

}  // namespace

std::optional<ProcessStat> parse_process_stat(std::string_view text) {
  // The name may itself hold parentheses; no field after it does.
  const std::size_t open = text.find(" (");
  const std::size_t close = text.rfind(") ");
  if (open == std::string_view::npos || close == std::string_view::npos || close < open + 2) {
    return {};
  }
  ProcessStat stat;
  if (!Fields(text.substr(0, open)).take(stat.pid)) return {};
  stat.name = text.substr(open + 2, close - open - 2);
  Fields fields(text.substr(close + 2));
  const std::string_view state = fields.next();  // proc(5) numbers it 3
  if (state.size() != 1 || !fields.take(stat.parent_pid)) return {};
  stat.state = state.front();
  fields.skip(10 - 5);
  if (!fields.take(stat.minor_faults)) return {};
  fields.skip(12 - 11);
  if (!fields.take(stat.major_faults)) return {};
  fields.skip(15 - 13);
  if (!fields.take(stat.system_ticks)) return {};
  return stat;
}

std::optional<ProcessStat> read_process_stat(const std::filesystem::path& folder) {
  std::ifstream file(folder / "stat");
  // No stream buffer iterators here: they throw when the process ends between open and read. A name
  // may hold line feeds, so the whole file is read.
  std::string text;
  std::getline(file, text, '\0');
  return parse_process_stat(text);
}

std::optional<ProcessStat> read_process_stat(int pid) {
  return read_process_stat(std::filesystem::path("/proc") / std::to_string(pid));
}

}  // namespace tailgate
