#include "harness/project/layout_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace tailgate {
namespace {

constexpr std::string_view kMapBegins = "Linker script and memory map";
constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kOutputs[] = {".text", ".rodata", ".data", ".bss"};

// Takes the next word off the line.
std::string_view next_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
  line.remove_prefix(word.size());
  return word;
}

bool is_hexadecimal(std::string_view word) {
  return word.size() > 2 && word.starts_with("0x") &&
         std::all_of(word.begin() + 2, word.end(),
                     [](unsigned char letter) { return std::isxdigit(letter) != 0; });
}

// Whether a name is that of a kind of sections, or of one of its kind: ".text", ".text.f".
bool is_of(std::string_view name, std::string_view kind) {
  return name == kind || (name.starts_with(kind) && name[kind.size()] == '.');
}

// Pieces of equal constants and strings are merged by the linker: ".rodata.str1.8".
bool is_merged(std::string_view name) {
  for (const std::string_view mark : {".str", ".cst"}) {
    const std::size_t at = name.find(mark);
    if (at == std::string_view::npos || at + mark.size() >= name.size()) continue;
    if (std::isdigit(static_cast<unsigned char>(name[at + mark.size()])) != 0) return true;
  }
  return false;
}

bool is_movable(std::string_view output, std::string_view name) {
  if (std::find(std::begin(kOutputs), std::end(kOutputs), output) == std::end(kOutputs) ||
      !is_of(name, output)) {
    return false;
  }
  for (const std::string_view kept :
       {".text.unlikely", ".text.exit", ".text.startup", ".text.sorted", ".data.rel.ro"}) {
    if (is_of(name, kept)) return false;
  }
  return !name.ends_with("_unlikely") && !is_merged(name);
}

// "libx.a(member.o)" or "x.o".
void set_file(std::string_view text, LinkedSection& section) {
  const std::size_t open = text.ends_with(')') ? text.rfind('(') : std::string_view::npos;
  if (open == std::string_view::npos || open == 0) {
    section.file = text;
    return;
  }
  section.file = text.substr(0, open);
  section.member = text.substr(open + 1, text.size() - open - 2);
}

// The lines of a map, one after the other.
class MapReader {
 public:
  void read(std::string_view line) {
    if (line.empty() || kBlanks.find(line.front()) == std::string_view::npos) {
      // "name address size" of an output section; a long name stands alone.
      if (!line.empty()) output_ = next_word(line);
      name_ = {};
      return;
    }
    const bool deep = line.size() > 2 && line[1] == ' ';
    if (!deep) name_ = next_word(line);  // " name address size file", or the name alone
    std::string_view rest = line;
    const std::string_view address = next_word(rest);
    const std::string_view size = next_word(rest);
    if (!name_.empty() && address.empty()) return;  // the rest is on the next line
    const std::string_view name = name_;
    name_ = {};
    if (!is_hexadecimal(address) || !is_hexadecimal(size) || is_zero(size)) return;
    rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
    if (rest.ends_with('\r')) rest.remove_suffix(1);
    if (rest.empty() || !is_movable(output_, name)) return;
    LinkedSection section{std::string(output_), std::string(name), {}, {}};
    set_file(rest, section);
    sections_.push_back(std::move(section));
  }

  std::vector<LinkedSection> take() { return std::move(sections_); }

 private:
  static bool is_zero(std::string_view number) {
    return number.find_first_not_of('0', 2) == std::string_view::npos;
  }

  std::string_view output_;
  std::string_view name_;
  std::vector<LinkedSection> sections_;
};

// What the compiler of a whole program (-flto) hands to the linker has another name in each link,
// up to its part's number.
std::string_view lasting_name(std::string_view file) {
  const std::size_t at = file.rfind(".ltrans");
  const bool passing = at != std::string_view::npos && file.ends_with(".ltrans.o") &&
                       at + std::string_view(".ltrans.o").size() == file.size();
  if (!passing) return {};
  const std::size_t part = file.rfind(".ltrans", at - 1);
  return at == 0 || part == std::string_view::npos ? std::string_view{} : file.substr(part);
}

// A name as a pattern of a linker script: '?' stands for what would have a meaning there.
std::string pattern_of(std::string_view name) {
  std::string pattern(name);
  for (char& letter : pattern) {
    const bool plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
                       std::string_view("_./+-~=").find(letter) != std::string_view::npos;
    if (!plain) letter = '?';
  }
  return pattern;
}

std::string statement_of(const LinkedSection& section) {
  const std::string_view lasting = lasting_name(section.file);
  const std::string file = lasting.empty() ? pattern_of(section.file) : "*" + pattern_of(lasting);
  return fmt::format("{}{}{}({})", file, section.member.empty() ? "" : ":",
                     pattern_of(section.member), pattern_of(section.name));
}

// FNV-1a (Fowler, Noll and Vo), of several texts.
class Hash {
 public:
  Hash& add(std::string_view text) {
    for (const char letter : text) add(static_cast<unsigned char>(letter));
    return add(std::uint64_t{0xff});
  }
  Hash& add(std::uint64_t value) {
    for (int i = 0; i < 8; ++i, value >>= 8) state_ = (state_ ^ (value & 0xff)) * 0x100000001b3;
    return *this;
  }
  // Its bits are mixed by the finish of SplitMix64 (Steele, Lea and Flood, 2014).
  std::uint64_t mixed() const {
    std::uint64_t value = state_;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
  }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325;
};

struct Placed {
  bool hot;
  std::uint64_t random;
  std::size_t at;  // in the map
};

// In the order of the layout: hot code first, as in the linker's own script.
std::vector<Placed> placed_in(std::string_view output, const std::vector<LinkedSection>& sections,
                              unsigned number, std::string_view root) {
  std::vector<Placed> placed;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const LinkedSection& section = sections[i];
    if (section.output != output) continue;
    const std::string_view lasting = lasting_name(section.file);
    std::string_view file = lasting.empty() ? std::string_view(section.file) : lasting;
    if (!root.empty() && file.starts_with(root)) file.remove_prefix(root.size());
    const std::uint64_t random =
        Hash().add(number).add(section.name).add(file).add(section.member).mixed();
    placed.push_back({is_of(section.name, ".text.hot"), random, i});
  }
  std::sort(placed.begin(), placed.end(), [](const Placed& one, const Placed& other) {
    return std::tuple(!one.hot, one.random, one.at) <
           std::tuple(!other.hot, other.random, other.at);
  });
  return placed;
}

// Where a piece begins: code at 16, 32 or 64 bytes, and all after a padding of up to 48 bytes, in
// one of eight cases up to eight cache lines more.
std::string gap_before(std::string_view output, std::uint64_t random) {
  constexpr unsigned kAlignments[] = {16, 16, 32, 64};
  constexpr unsigned kCacheLineBytes = 64;
  // The upper bits rank the pieces, so the lower ones are taken here.
  const auto bits = [&random](unsigned choices) {
    const auto choice = static_cast<unsigned>(random % choices);
    random /= choices;
    return choice;
  };
  const unsigned alignment = kAlignments[bits(4)];
  const unsigned within_line = 16 * bits(4);
  const unsigned lines = bits(8) == 0 ? bits(9) : 0;
  const std::string aligned =
      output == ".text" ? fmt::format(". = ALIGN({}); ", alignment) : std::string();
  return fmt::format("{}. += {};", aligned, within_line + kCacheLineBytes * lines);
}

}  // namespace

std::vector<LinkedSection> read_link_map(std::string_view map) {
  const std::size_t begin = map.find(kMapBegins);
  if (begin == std::string_view::npos) return {};
  map.remove_prefix(begin + kMapBegins.size());
  MapReader reader;
  while (!map.empty()) {
    const std::string_view line = map.substr(0, map.find('\n'));
    reader.read(line);
    map.remove_prefix(std::min(line.size() + 1, map.size()));
  }
  return reader.take();
}

std::string layout_script(const std::vector<LinkedSection>& sections, unsigned number,
                          std::string_view root) {
  std::string script;
  for (const std::string_view output : kOutputs) {
    const std::vector<Placed> placed = placed_in(output, sections, number, root);
    if (placed.empty()) continue;
    script += fmt::format("SECTIONS\n{{\n  {}.layout : ALIGN(64)\n  {{\n", output);
    for (const Placed& piece : placed) {
      script += fmt::format("    {} {}\n", gap_before(output, piece.random),
                            statement_of(sections[piece.at]));
    }
    script += fmt::format("  }}\n}}\nINSERT BEFORE {};\n", output);
  }
  return script;
}

}  // namespace tailgate
