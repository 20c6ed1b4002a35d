// The types that a CTF 1.8 trace declares in its metadata text, as far as LTTng-UST uses them: a
// parser for the declarations (the CTF specification calls the language TSDL). It resolves names
// and keeps what decides where bits lie; display attributes (base, encoding, clock maps) it skips.
// Format: Common Trace Format specification 1.8.3, appendix C.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tailgate {

struct CtfField;

struct CtfType {
  enum class Kind { integer, enumeration, structure, variant, string };
  // A label of an enumeration and the values that it stands for, both ends included.
  struct Label {
    std::string name;
    std::uint64_t first = 0;
    std::uint64_t last = 0;
  };

  Kind kind = Kind::integer;
  std::uint32_t size_bits = 0;   // integer; enumeration: its container's
  std::uint32_t align_bits = 1;  // as declared; a structure's own align() only
  bool is_signed = false;
  bool big_endian = false;
  std::vector<Label> labels;     // enumeration
  std::vector<CtfField> fields;  // structure, variant
  std::string tag;               // variant: the field that selects
};

struct CtfField {
  std::string name;
  CtfType type;
  enum class Repeat { no, fixed, counted } repeat = Repeat::no;
  std::uint64_t count = 0;    // fixed: elements
  std::string count_field{};  // counted: the field that holds the number of elements
};

// One block at the top level: trace, stream, event, clock or env. Attributes are the plain
// assignments ("id" -> "0", quotes taken off), types the typed ones ("event.header").
struct CtfBlock {
  std::string kind;
  std::map<std::string, std::string> attributes;
  std::map<std::string, CtfType> types;
};

// All blocks in the text's order; nothing when the text ends inside of a declaration, as it does
// while a tracer is still writing it. Throws Error for what is not TSDL, or not in the subset.
std::optional<std::vector<CtfBlock>> parse_ctf_declarations(std::string_view text);

}  // namespace tailgate
