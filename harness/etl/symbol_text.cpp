#include "harness/etl/symbol_text.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "harness/etl/guid.h"
#include "harness/etl/text.h"

namespace tailgate::etl {
namespace {

constexpr std::size_t kMaxSymbolNameBytes = 1024;
constexpr std::size_t kMaxSections = 65'536;

// Takes the next line, without its end. Returns false at the end of the text.
bool take_line(std::string_view& text, std::string_view& line) {
  if (text.empty()) return false;
  const std::size_t end = text.find('\n');
  line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

void skip_spaces(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
}

std::string_view take_word(std::string_view& line) {
  skip_spaces(line);
  const std::string_view word = line.substr(0, line.find_first_of(" \t"));
  line.remove_prefix(word.size());
  return word;
}

bool take_start(std::string_view& line, std::string_view start) {
  if (!line.starts_with(start)) return false;
  line.remove_prefix(start.size());
  return true;
}

template <typename T>
std::optional<T> number_of(std::string_view text, int base) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> hex(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  return number_of<std::uint64_t>(text, 16);
}

// The name at the line's end: the whole rest.
std::string_view name_in(std::string_view line) {
  skip_spaces(line);
  return line;
}

}  // namespace

std::optional<std::string_view> breakpad_id(std::string_view text) {
  std::string_view line;
  if (!take_line(text, line) || take_word(line) != "MODULE") return std::nullopt;
  take_word(line);  // the system
  take_word(line);  // the architecture
  const std::string_view id = take_word(line);
  return id.empty() ? std::nullopt : std::optional(id);
}

void visit_breakpad(std::string_view text, const VisitSymbol& visit) {
  std::string_view line;
  while (take_line(text, line)) {
    const bool is_function = take_start(line, "FUNC ");
    if (!is_function && !take_start(line, "PUBLIC ")) continue;
    skip_spaces(line);
    take_start(line, "m ");  // several functions were folded into one
    const auto start = hex(take_word(line));
    const auto size = is_function ? hex(take_word(line)) : std::optional<std::uint64_t>(0);
    take_word(line);  // of the parameters
    const std::string_view name = name_in(line);
    // A function of no bytes covers none.
    if (!start || !size || name.empty() || (is_function && *size == 0)) continue;
    visit({*start, *size, name});
  }
}

void visit_perf_map(std::string_view text, const VisitSymbol& visit) {
  std::string_view line;
  while (take_line(text, line)) {
    const auto start = hex(take_word(line));
    const auto size = hex(take_word(line));
    const std::string_view name = name_in(line);
    if (start && size && *size != 0 && !name.empty()) visit({*start, *size, name});
  }
}

std::optional<PdbSummary> pdb_summary(std::string_view text) {
  PdbSummary summary;
  std::optional<Guid> guid;
  std::optional<std::uint32_t> age;
  bool original = false;
  std::string_view line;
  while (take_line(text, line)) {
    skip_spaces(line);
    std::string_view rest = line;
    if (!guid && take_start(rest, "GUID: ")) {
      guid = parse_guid(rest);
    } else if (!age && take_start(rest, "Age: ")) {
      age = number_of<std::uint32_t>(rest, 10);
    } else if (line.starts_with("Original Section Headers")) {
      original = true;
    } else if (line.starts_with("SECTION HEADER #")) {
      if (original) summary.rearranged = true;
    } else if (line.ends_with(" virtual address") && summary.sections.size() < kMaxSections) {
      summary.sections.push_back(hex(take_word(rest)).value_or(0));
    }
  }
  if (!guid || !age) return std::nullopt;
  summary.guid = to_text(*guid);
  summary.age = *age;
  return summary;
}

void visit_pdb_publics(std::string_view text, const std::vector<std::uint64_t>& sections,
                       const VisitSymbol& visit) {
  std::string_view line;
  std::string_view name;  // of the record whose second line comes next
  while (take_line(text, line)) {
    if (const std::size_t at = line.find("| S_PUB32 "); at != std::string_view::npos) {
      const std::size_t from = line.find('`', at);
      const std::size_t to = line.rfind('`');
      name = from < to ? line.substr(from + 1, to - from - 1) : std::string_view();
      continue;
    }
    const std::string_view of = std::exchange(name, {});
    skip_spaces(line);
    constexpr std::string_view kAddress = ", addr = ";
    const std::size_t at = line.find(kAddress);
    if (of.empty() || !line.starts_with("flags = ") || at == std::string_view::npos) continue;
    const std::string_view flags = line.substr(0, at);
    const std::string_view address = line.substr(at + kAddress.size());
    const bool is_code = flags.find("function") != flags.npos || flags.find("code") != flags.npos;
    const std::size_t colon = address.find(':');
    if (!is_code || colon == std::string_view::npos) continue;
    const auto section = number_of<std::size_t>(address.substr(0, colon), 10);
    const auto offset = number_of<std::uint32_t>(address.substr(colon + 1), 10);
    if (!section || !offset || *section == 0 || *section > sections.size()) continue;
    visit({sections[*section - 1] + *offset, 0, of});
  }
}

NearestSymbols::NearestSymbols(std::vector<std::uint64_t> addresses)
    : addresses_(std::move(addresses)), nearest_(addresses_.size()) {}

void NearestSymbols::add(const Symbol& symbol) {
  const auto at = std::lower_bound(addresses_.begin(), addresses_.end(), symbol.start);
  if (at == addresses_.end() || symbol.name.empty()) return;
  Nearest& nearest = nearest_[static_cast<std::size_t>(at - addresses_.begin())];
  if (!nearest.name.empty()) {
    // Of two at one address, the one whose size is known.
    if (symbol.start < nearest.start) return;
    if (symbol.start == nearest.start && symbol.size_bytes <= nearest.size_bytes) return;
  }
  nearest = {symbol.start, symbol.size_bytes, symbol.name.substr(0, kMaxSymbolNameBytes)};
}

std::vector<std::string_view> NearestSymbols::names() const {
  std::vector<std::string_view> names(addresses_.size());
  const Nearest* last = nullptr;
  for (std::size_t i = 0; i < addresses_.size(); ++i) {
    if (!nearest_[i].name.empty()) last = &nearest_[i];
    if (last == nullptr) continue;
    const bool covers = last->size_bytes == 0 || addresses_[i] - last->start < last->size_bytes;
    if (covers) names[i] = last->name;
  }
  return names;
}

}  // namespace tailgate::etl
