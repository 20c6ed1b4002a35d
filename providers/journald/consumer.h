// Reads the events of a journald trial back.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/sink/sink.h"
#include "providers/journald/event_fields.h"
#include "providers/journald/journal_reader.h"

namespace tailgate::journald {

class JournaldConsumer : public Consumer {
 public:
  // Throws Error.
  explicit JournaldConsumer(const TrialContext& context);

  std::size_t poll(EventVisitor& visitor) override;
  void finish(EventVisitor& visitor) override;
  // Entries that journald stored and then removed (vacuumed) before they were read.
  std::vector<Loss> losses(std::uint64_t) const override { return losses_; }

 private:
  void visit_entry(EventVisitor& visitor);
  // The event of the current entry, from its field or fields; empty when they cannot be read.
  EventBytes event_of_entry();
  EventBytes event_with_retry();
  // Whether all of it is there, by the size that its header has.
  bool is_whole(EventBytes event) const;

  EventEncoding encoding_;
  EntryFields fields_;
  JoinedEvent joined_;
  JournalReader reader_;
  std::uint64_t base_;              // sequence number of the last entry before the load
  std::vector<std::uint64_t> own_;  // numbers of entries that journald wrote about itself
  std::uint64_t read_ = 0;          // entries read, except journald's own
  std::vector<Loss> losses_;
};

}  // namespace tailgate::journald
