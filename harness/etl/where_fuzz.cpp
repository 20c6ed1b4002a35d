// Conditions of --where and paths of --columns, on an event with fields of every shape.
// Input: a condition, a NUL, the bytes of the fields.
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/etl/event_path.h"
#include "harness/etl/where.h"

using namespace tailgate::etl;

namespace {

// Size, FileName, Id and Values, an array of structures {Index, Share}, cut from the bytes.
std::vector<Field> fields_in(Bytes bytes) {
  using Kind = Field::Kind;
  std::vector<Field> fields;
  const auto add = [&](std::string_view name, ValueType type, std::size_t size) {
    if (bytes.size() < size) return;
    fields.push_back({name, bytes.first(size), nullptr, Kind::value, type});
    bytes = bytes.subspan(size);
  };
  const auto bracket = [&](std::string_view name, Kind kind) {
    fields.push_back({name, {}, nullptr, kind});
  };
  add("Size", ValueType::i64, 8);
  add("Id", ValueType::guid, 16);
  add("FileName", ValueType::utf16, 6);
  bracket("Values", Kind::begin_array);
  while (bytes.size() >= 8 && fields.size() < 64) {
    bracket({}, Kind::begin_structure);
    add("Index", ValueType::u16, 2);
    add("Share", ValueType::f32, 4);
    bracket({}, Kind::end_structure);
  }
  bracket({}, Kind::end_array);
  return fields;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const void* nul = size == 0 ? nullptr : std::memchr(data, 0, size);
  const std::size_t length =
      nul == nullptr ? size
                     : static_cast<std::size_t>(static_cast<const std::uint8_t*>(nul) - data);
  const std::string_view text(reinterpret_cast<const char*>(data), length);
  DecodedEvent event;
  event.fields = fields_in(Bytes(data + length, size - length));
  event.header.activity.bytes[0] = 1;
  Record record;
  const SessionClock clock;
  const LogFileHeader session;
  const EventView view{event, record, clock, session};
  try {
    const Where where(text);
    where.matches(view);
    where.top_fields();
  } catch (const tailgate::Error&) {
    // Not a condition.
  }
  try {
    std::string out;
    EventPath::parse(text).append_text(view, out);
  } catch (const tailgate::Error&) {
    // Not a path.
  }
  return 0;
}
