#include "providers/journald/consumer.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "harness/base/error.h"
#include "providers/journald/places.h"
#include "providers/shared/daemon/private_namespace.h"

namespace tailgate::journald {
namespace {

constexpr std::chrono::milliseconds kPollBudget{2};

}  // namespace

JournaldConsumer::JournaldConsumer(const TrialContext& context)
    : encoding_(context.encoding),
      fields_(entry_fields(context.options)),
      reader_(journal_directory(require_private_view(kMark, context).options)),
      base_(load_base_sequence(context)) {}

std::size_t JournaldConsumer::poll(EventVisitor& visitor) {
  const auto deadline = std::chrono::steady_clock::now() + kPollBudget;
  std::size_t entries = 0;
  do {
    if (!reader_.next()) {
      reader_.refresh();
      if (!reader_.next()) break;
    }
    visit_entry(visitor);
    ++entries;
  } while (std::chrono::steady_clock::now() < deadline);
  return entries;
}

void JournaldConsumer::visit_entry(EventVisitor& visitor) {
  EventBytes event = event_of_entry();
  if (!is_whole(event)) {
    if (reader_.written_by_journald()) {
      // At each rotation it writes one, in the middle of the events.
      own_.push_back(reader_.sequence());
      return;
    }
    event = event_with_retry();
  }
  ++read_;
  if (event.empty()) {
    // Not even the entry's size is known.
    visitor.damage(1);
  } else {
    visitor.event(event);
  }
}

EventBytes JournaldConsumer::event_of_entry() {
  if (fields_ == EntryFields::one) return reader_.field("MESSAGE");
  joined_.clear();
  reader_.each_field([this](EventBytes data) { joined_.add(data); });
  return joined_.event().value_or(EventBytes{});
}

// A field of a fresh entry may be out of reach for a moment (JournalReader::field_with_retry).
EventBytes JournaldConsumer::event_with_retry() {
  if (fields_ == EntryFields::one) return reader_.field_with_retry("MESSAGE");
  EventBytes event = event_of_entry();
  for (int retry = 0; !is_whole(event) && retry < JournalReader::kRetries; ++retry) {
    std::this_thread::sleep_for(JournalReader::kRetryInterval);
    event = event_of_entry();
  }
  return event;
}

bool JournaldConsumer::is_whole(EventBytes event) const {
  EventStamp stamp;
  const EventCheck check = check_event(event, encoding_, stamp);
  return check == EventCheck::intact || check == EventCheck::bad_body;
}

void JournaldConsumer::finish(EventVisitor&) {
  const std::uint64_t last = reader_.last_client_sequence();
  const auto own = static_cast<std::uint64_t>(
      std::count_if(own_.begin(), own_.end(),
                    [&](std::uint64_t sequence) { return sequence > base_ && sequence <= last; }));
  const std::uint64_t stored = last > base_ ? last - base_ - own : 0;
  if (stored > read_) losses_.push_back({"vacuumed from the journal", stored - read_});
}

}  // namespace tailgate::journald
