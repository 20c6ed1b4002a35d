// The kernel layouts as rows of text; kernel_layouts.cpp makes schemas of them.
//
// A row's fields are "type name" separated by commas. Types:
//   P pointer in hex        Z pointer-sized number   u8 u16 u32 u64 i8 i16 i32 i64 numbers
//   x8 x16 x32 x64 hex      b8 boolean byte          ft FILETIME         guid
//   s, w  text to a NUL     wN  N UTF-16 characters  sid  TOKEN_USER and SID, or u32 0
//   ip4 ip6 port            network addresses        rawN  N bytes
//   st   SYSTEMTIME         clock  a SYSTEMTIME that says when clocks change every year
//   raw  bytes up to the payload's end               padN  up to N bytes without a meaning
// "*" behind a type: as many as the payload holds; "*N": N of them; "*Field": as many as the value
// of that field, which precedes. "?" before a type: the payload may end before this field.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tailgate::etl {

struct KernelLayoutRow {
  std::uint16_t hook_id;
  std::uint8_t last_hook_type;  // the layout is valid up to this type of the group; 0: for this
                                // hook only
  std::uint8_t version;
  std::string_view name;  // the opcode's name; for a range of hooks several names, separated by '|'
  std::string_view fields;
  std::uint8_t last_version = 0;  // the layout is valid up to this version; 0: for `version` only
};

struct ClassicLayoutRow {
  std::string_view event_class;  // GUID
  std::string_view provider_name;
  std::string_view task_name;
  std::uint8_t opcode;
  std::uint8_t version;
  std::string_view name;
  std::string_view fields;
  bool packed = false;  // as EventSchema::packed
};

std::span<const KernelLayoutRow> kernel_layout_rows();
std::span<const ClassicLayoutRow> classic_layout_rows();

}  // namespace tailgate::etl
