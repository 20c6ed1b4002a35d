// The types that a CTF 1.8 trace declares in its metadata text, as far as LTTng-UST uses them: a
// parser for the declarations (the CTF specification calls the language TSDL). It resolves names
// and keeps what determines the position of bits; it skips display attributes (base, encoding,
// clock maps). Format: Common Trace Format specification 1.8.3, appendix C.
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
  // A label of an enumeration and its range of values, both ends included.
  struct Label {
    std::string name;
    std::uint64_t first = 0;
    std::uint64_t last = 0;
  };

  Kind kind = Kind::integer;
  std::uint32_t size_bits = 0;   // integer; enumeration: of its container
  std::uint32_t align_bits = 1;  // as declared; structure: its own align() only
  bool is_signed = false;
  bool big_endian = false;
  std::vector<Label> labels;     // enumeration
  std::vector<CtfField> fields;  // structure, variant
  std::string tag;               // variant: the field that selects its member
};

struct CtfField {
  std::string name;
  CtfType type;
  enum class Repeat { no, fixed, counted } repeat = Repeat::no;
  std::uint64_t count = 0;    // fixed: number of elements
  std::string count_field{};  // counted: the field with the number of elements
};

// One block at the top level: trace, stream, event, clock or env. `attributes` are the plain
// assignments ("id" -> "0", without quotes), `types` the typed ones ("event.header").
struct CtfBlock {
  std::string kind;
  std::map<std::string, std::string> attributes;
  std::map<std::string, CtfType> types;
};

// Returns all blocks in the text's order; nothing when the text ends within a declaration, as it
// does while a tracer is writing it. Throws Error when the text is not TSDL or not in the subset.
std::optional<std::vector<CtfBlock>> parse_ctf_declarations(std::string_view text);

}  // namespace tailgate
