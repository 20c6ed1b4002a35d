#include "providers/journald/event_fields.h"

#include <algorithm>
#include <cstring>

namespace tailgate::journald {
namespace {

// " f07=" begins a field in an event.
constexpr std::size_t kNamedBytes = 5;
constexpr std::byte kBetweenNamed{' '};

constexpr std::array<std::string_view, kFirstNamedSlot> kNames = {
    "MESSAGE=", "TAILGATE_HEADER=", "TIME=", "LEVEL=", "LOGGER=", "CALLER=", "FIELDS="};

constexpr std::array<std::array<char, 4>, kMostNamed> named_names() {
  std::array<std::array<char, 4>, kMostNamed> names{};
  for (std::size_t i = 0; i < kMostNamed; ++i) {
    names[i] = {'F', static_cast<char>('0' + i / 10), static_cast<char>('0' + i % 10), '='};
  }
  return names;
}
constexpr auto kNamedNames = named_names();

// The slot of a log line's field, by its number.
constexpr std::size_t log_slot(std::size_t field) {
  constexpr std::size_t kMessageField = kLogFields - 2;
  if (field == kMessageField) return kMessageSlot;
  return kFirstLogSlot + (field > kMessageField ? field - 1 : field);
}

// Whether the number-th named field begins here.
bool begins_named(EventBytes rest, std::size_t number) noexcept {
  if (number >= kMostNamed || rest.size() < kNamedBytes) return false;
  const auto& name = kNamedNames[number];
  const auto at = [&](std::size_t i) { return static_cast<char>(rest[i]); };
  return at(0) == ' ' && at(1) == 'f' && at(2) == name[1] && at(3) == name[2] && at(4) == '=';
}

bool split_named(EventBytes header, EventBytes rest, SplitEvent& split) noexcept {
  if (!begins_named(rest, 0)) return false;
  split.add(kHeaderSlot, header);
  for (std::size_t number = 0; begins_named(rest, number); ++number) {
    rest = rest.subspan(kNamedBytes);
    const auto end = std::find(rest.begin(), rest.end(), kBetweenNamed);
    const auto bytes = static_cast<std::size_t>(end - rest.begin());
    split.add(kFirstNamedSlot + number, rest.first(bytes));
    rest = rest.subspan(bytes);
  }
  split.add(kMessageSlot, rest);
  return true;
}

bool split_log(EventBytes header, EventBytes line, SplitEvent& split) noexcept {
  const auto fields = split_line(line);
  if (!fields) return false;
  split.add(kHeaderSlot, header);
  for (std::size_t i = 0; i < kLogFields; ++i) split.add(log_slot(i), (*fields)[i]);
  return true;
}

}  // namespace

EntryFields entry_fields(const Options& options) {
  return *enum_value<EntryFields>(options.text("fields"));
}

std::string_view slot_name(std::size_t slot) {
  if (slot < kFirstNamedSlot) return kNames[slot];
  const auto& name = kNamedNames[slot - kFirstNamedSlot];
  return {name.data(), name.size()};
}

void split_event(EntryFields how, EventEncoding encoding, EventBytes event,
                 SplitEvent& split) noexcept {
  split.count = 0;
  const std::size_t header_bytes = std::min(event.size(), min_event_bytes(encoding));
  const EventBytes header = event.first(header_bytes);
  const EventBytes body = event.subspan(header_bytes);
  if (how == EntryFields::log && split_log(header, body, split)) return;
  if (how == EntryFields::named && split_named(header, body, split)) return;
  split.add(kMessageSlot, event);
}

void JoinedEvent::add(EventBytes data) {
  const std::string_view text(reinterpret_cast<const char*>(data.data()), data.size());
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    const std::string_view name = slot_name(slot);
    if (!text.starts_with(name)) continue;
    const EventBytes value = data.subspan(name.size());
    values_[slot].assign(value.begin(), value.end());
    present_.set(slot);
    return;
  }
}

void JoinedEvent::append(std::size_t slot) {
  event_.insert(event_.end(), values_[slot].begin(), values_[slot].end());
}

// False when one of the fields before the last one is missing.
bool JoinedEvent::append_named() {
  std::size_t count = kMostNamed;
  while (count > 0 && !present_[kFirstNamedSlot + count - 1]) --count;
  for (std::size_t number = 0; number < count; ++number) {
    if (!present_[kFirstNamedSlot + number]) return false;
    const auto& name = kNamedNames[number];
    for (const char letter : {' ', 'f', name[1], name[2], '='}) {
      event_.push_back(static_cast<std::byte>(letter));
    }
    append(kFirstNamedSlot + number);
  }
  append(kMessageSlot);
  return true;
}

std::optional<EventBytes> JoinedEvent::event() {
  event_.clear();
  if (!present_[kMessageSlot]) return std::nullopt;
  if (!present_[kHeaderSlot]) {
    append(kMessageSlot);
    return event_;
  }
  append(kHeaderSlot);
  if (!present_[kFirstLogSlot]) {
    if (!append_named()) return std::nullopt;
    return event_;
  }
  for (std::size_t i = 0; i < kLogFields; ++i) {
    if (!present_[log_slot(i)]) return std::nullopt;
    if (i > 0) event_.push_back(kBetweenFields);
    append(log_slot(i));
  }
  return event_;
}

}  // namespace tailgate::journald
