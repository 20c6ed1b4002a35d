#include "harness/tracefs/event_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

#include "harness/base/error.h"

namespace tailgate::tracefs {
namespace {

constexpr std::size_t kMaxFieldBytes = 1 << 27;
// Padding to words and the kernel's terminators add fewer bytes than this after a raw event.
constexpr std::size_t kMaxRoundingBytes = 8;

std::size_t number_after(std::string_view line, std::string_view label, std::size_t max) {
  const std::size_t at = line.find(label);
  std::size_t value = 0;
  if (at != std::string_view::npos) {
    std::string_view digits = line.substr(at + label.size());
    digits.remove_prefix(std::min(digits.find_first_not_of(" \t"), digits.size()));
    const auto end = digits.data() + digits.size();
    if (std::from_chars(digits.data(), end, value).ec == std::errc() && value <= max) return value;
  }
  throw Error(
      fmt::format("a format file of the kernel's trace has no number up to {} after '{}': '{}'",
                  max, label, line.substr(0, 200)),
      "report the text of the format file");
}

// Returns the declared name: buf of "field:unsigned char buf[8]", event of "field:__rel_loc u8[]
// event".
std::string declared_name(std::string_view declaration) {
  if (declaration.ends_with(']')) declaration = declaration.substr(0, declaration.rfind('['));
  const std::size_t before = declaration.find_last_of(" \t*:");
  return std::string(declaration.substr(before == std::string_view::npos ? 0 : before + 1));
}

// Finds the event of a __rel_loc field, which holds length << 16 | offset from the end of this
// word.
Found locate(std::span<const std::byte> data, std::size_t at, std::span<const std::byte>& event) {
  std::uint32_t location;
  if (data.size() < at + sizeof location) return Found::damaged;
  std::memcpy(&location, data.data() + at, sizeof location);
  const std::size_t begin = at + sizeof location + (location & 0xFFFFu);
  const std::size_t size = location >> 16;
  if (begin > data.size() || size > data.size() - begin) return Found::damaged;
  event = data.subspan(begin, size);
  return Found::event;
}

std::span<const std::byte> until_end_of_text(std::span<const std::byte> bytes) {
  const auto ends = [](std::byte byte) { return byte == std::byte{0} || byte == std::byte{'\n'}; };
  const auto end = std::find_if(bytes.begin(), bytes.end(), ends);
  return bytes.first(static_cast<std::size_t>(end - bytes.begin()));
}

std::span<const std::byte> without_rounding(std::span<const std::byte> bytes) {
  // Beside a sink that needs text, as in a tee, a raw event is text, too.
  const std::size_t binary = announced_size_bytes(bytes, EventEncoding::binary);
  const std::size_t size = binary != 0 ? binary : announced_size_bytes(bytes, EventEncoding::text);
  return size != 0 && size <= bytes.size() && bytes.size() - size < kMaxRoundingBytes
             ? bytes.first(size)
             : bytes;
}

}  // namespace

const FormatField& EventFormat::field(std::string_view field_name) const {
  for (const FormatField& field : fields) {
    if (field.name == field_name) return field;
  }
  throw Error(fmt::format("the kernel's trace format '{}' has no field '{}'", name, field_name),
              "report the text of the format file");
}

EventFormat parse_event_format(std::string_view text) {
  EventFormat format;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.starts_with("name: ")) format.name = line.substr(6);
    if (line.starts_with("ID: ")) {
      const std::size_t max = std::numeric_limits<std::uint16_t>::max();
      format.id = static_cast<std::uint16_t>(number_after(line, "ID:", max));
    }
    const std::size_t field_at = line.find("field:");
    if (field_at == std::string_view::npos) continue;
    const std::string_view field = line.substr(field_at);
    format.fields.push_back({declared_name(field.substr(0, field.find(';'))),
                             number_after(field, "offset:", kMaxFieldBytes),
                             number_after(field, "size:", kMaxFieldBytes)});
  }
  return format;
}

RecordFormat record_format(std::string_view format_text, std::string_view event_field,
                           Carriage carriage) {
  const EventFormat format = parse_event_format(format_text);
  const FormatField& type = format.field("common_type");
  if (type.size_bytes != sizeof(RecordFormat::id)) {
    throw Error(fmt::format("the kernel's trace format '{}' has a common_type of {} bytes",
                            format.name, type.size_bytes),
                "report the text of the format file");
  }
  return {.id = format.id,
          .id_at = type.offset_bytes,
          .event_at = format.field(event_field).offset_bytes,
          .carriage = carriage};
}

Found find_event(const RecordFormat& format, std::span<const std::byte> data,
                 std::span<const std::byte>& event) {
  std::uint16_t id;
  if (data.size() < format.id_at + sizeof id) return Found::damaged;
  std::memcpy(&id, data.data() + format.id_at, sizeof id);
  if (id != format.id) return Found::foreign;
  if (data.size() < format.event_at) return Found::damaged;
  const std::span<const std::byte> rest = data.subspan(format.event_at);
  switch (format.carriage) {
    case Carriage::raw:
      event = without_rounding(rest);
      return Found::event;
    case Carriage::text:
      event = until_end_of_text(rest);
      return Found::event;
    case Carriage::located:
      return locate(data, format.event_at, event);
  }
  return Found::damaged;
}

}  // namespace tailgate::tracefs
