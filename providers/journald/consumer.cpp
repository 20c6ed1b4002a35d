#include "providers/journald/consumer.h"

#include <algorithm>
#include <chrono>

#include "harness/base/error.h"
#include "providers/journald/places.h"
#include "providers/shared/daemon/private_namespace.h"

namespace tailgate::journald {
namespace {

constexpr std::chrono::milliseconds kPollBudget{2};

}  // namespace

JournaldConsumer::JournaldConsumer(const TrialContext& context)
    : encoding_(context.encoding),
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
  EventStamp stamp;
  const bool ours = check_event(reader_.field("MESSAGE"), encoding_, stamp) == EventCheck::intact;
  if (!ours && reader_.written_by_journald()) {
    // At each rotation it writes one, in the middle of the events.
    own_.push_back(reader_.sequence());
    return;
  }
  ++read_;
  // Read it again: written_by_journald() asked for another field, which invalidates the value.
  const std::span<const std::byte> message = reader_.field_with_retry("MESSAGE");
  if (message.empty()) {
    // Not even the entry's size is known.
    visitor.damage(1);
  } else {
    visitor.event(message);
  }
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
