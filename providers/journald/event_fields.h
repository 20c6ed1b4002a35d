// An event as several fields of a journal entry: those of a log line (harness/base/log_lines.h), or
// those that a program formatted into the event, " f00=value f01=value " after its header.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/base/enum_text.h"
#include "harness/base/event.h"
#include "harness/base/log_fields.h"
#include "harness/base/options.h"

namespace tailgate::journald {

// What becomes a field of its own.
enum class EntryFields : std::uint8_t { one, log, named };
}  // namespace tailgate::journald

namespace tailgate {
template <>
inline constexpr auto kEnumTexts<journald::EntryFields> =
    enum_texts<journald::EntryFields>({{journald::EntryFields::one, "one"},
                                       {journald::EntryFields::log, "log"},
                                       {journald::EntryFields::named, "named"}});
}  // namespace tailgate

namespace tailgate::journald {

EntryFields entry_fields(const Options& options);

// The journal drops fields whose names have anything but capital letters, digits and underscores,
// or more than 64 of them, or begin with a digit or an underscore. So f00 is F00 there.
enum Slot : std::size_t { kMessageSlot, kHeaderSlot, kFirstLogSlot };
inline constexpr std::size_t kFirstNamedSlot = kFirstLogSlot + kLogFields - 1;
inline constexpr std::size_t kMostNamed = 32;
inline constexpr std::size_t kSlots = kFirstNamedSlot + kMostNamed;

// "NAME=", by slot. A log line's message is in the first one.
std::string_view slot_name(std::size_t slot);

struct EntryField {
  std::size_t slot = kMessageSlot;
  EventBytes value;
};

// The fields of an entry, the first `count` of `fields`.
struct SplitEvent {
  std::array<EntryField, kSlots> fields;
  std::size_t count = 0;

  void add(std::size_t slot, EventBytes value) noexcept { fields[count++] = {slot, value}; }
};

// Splits an event that has such fields; of any other one MESSAGE is the whole event. Allocates
// nothing.
void split_event(EntryFields how, EventEncoding encoding, EventBytes event,
                 SplitEvent& split) noexcept;

// Puts the event of an entry together again.
class JoinedEvent {
 public:
  void clear() { present_.reset(); }
  // data: "NAME=value", as libsystemd hands it out. Fields of other names are left out.
  void add(EventBytes data);
  // The event; nothing when one of its fields is missing. Valid until the next call.
  std::optional<EventBytes> event();

 private:
  void append(std::size_t slot);
  bool append_named();

  std::array<std::vector<std::byte>, kSlots> values_;
  std::bitset<kSlots> present_;
  std::vector<std::byte> event_;
};

}  // namespace tailgate::journald
