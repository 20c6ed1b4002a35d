#include "providers/synthetic/planted_faults.h"

#include <algorithm>
#include <string_view>

#include "harness/base/quoting.h"

namespace tailgate {
namespace {

// Whether the sink stored it as it was given it: a body may be anything.
bool is_event(std::span<const std::byte> bytes, EventEncoding encoding, EventStamp& stamp) {
  const EventCheck check = check_event(bytes, encoding, stamp);
  return check == EventCheck::intact || check == EventCheck::bad_body;
}

// The length of the character in UTF-8 at the beginning of a text; 0: there is none.
std::size_t character_bytes(std::string_view text) {
  for (std::size_t length = 1; length <= std::min<std::size_t>(4, text.size()); ++length) {
    if (is_utf8(text.substr(0, length))) return length;
  }
  return 0;
}

void append_replaced(std::string_view text, std::vector<std::byte>& to) {
  const auto append = [&to](std::string_view part) {
    const auto bytes = std::as_bytes(std::span(part));
    to.insert(to.end(), bytes.begin(), bytes.end());
  };
  while (!text.empty()) {
    const std::size_t valid = character_bytes(text);
    append(valid > 0 ? text.substr(0, valid) : "\uFFFD");
    text.remove_prefix(std::max<std::size_t>(1, valid));
  }
}

}  // namespace

bool strikes(std::uint64_t number, std::uint64_t every) {
  return every != 0 && number % every == 0;
}

FaultPlan fault_plan(const Options& options) {
  const auto every = [&](const char* name) {
    return static_cast<std::uint64_t>(options.integer(name));
  };
  return {.corrupt_every = every("corrupt_every"),
          .duplicate_every = every("duplicate_every"),
          .reorder_every = every("reorder_every"),
          .cut_over_bytes = every("cut_over_bytes"),
          .replace_invalid_utf8 = options.boolean("replace_invalid_utf8")};
}

FaultPlanter::FaultPlanter(const FaultPlan& plan, EventEncoding encoding)
    : plan_(plan), encoding_(encoding) {}

void FaultPlanter::event(std::span<const std::byte> bytes, EventVisitor& to) {
  EventStamp stamp;
  if (!is_event(bytes, encoding_, stamp)) return to.event(bytes);
  ThreadState& thread = threads_[stamp.thread];
  const std::uint64_t count = ++thread.events;
  if (strikes(count, plan_.corrupt_every)) {
    scratch_.assign(bytes.begin(), bytes.end());
    scratch_.back() ^= std::byte{1};
    to.event(scratch_);
  } else if (strikes(count, plan_.duplicate_every)) {
    to.event(bytes);
    to.event(bytes);
  } else if (strikes(count, plan_.reorder_every) && thread.held.empty()) {
    thread.held.assign(bytes.begin(), bytes.end());
    return;
  } else {
    damage_bytes(bytes, to);
  }
  if (!thread.held.empty()) {
    to.event(thread.held);
    thread.held.clear();
  }
}

void FaultPlanter::damage_bytes(std::span<const std::byte> bytes, EventVisitor& to) {
  if (plan_.cut_over_bytes != 0 && bytes.size() > plan_.cut_over_bytes) {
    to.event(bytes.first(plan_.cut_over_bytes));
  } else if (plan_.replace_invalid_utf8) {
    const std::size_t header_bytes = min_event_bytes(encoding_);
    scratch_.assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(header_bytes));
    const auto* body = reinterpret_cast<const char*>(bytes.data() + header_bytes);
    append_replaced({body, bytes.size() - header_bytes}, scratch_);
    to.event(scratch_);
  } else {
    to.event(bytes);
  }
}

void FaultPlanter::release_held(EventVisitor& to) {
  for (auto& [number, thread] : threads_) {
    if (!thread.held.empty()) to.event(thread.held);
    thread.held.clear();
  }
}

}  // namespace tailgate
