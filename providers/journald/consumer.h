// Reads a journald trial's events back.
#pragma once

#include "providers/journald/journal_reader.h"
#include "providers/sink.h"

namespace tailgate::journald {

class JournaldConsumer : public Consumer {
 public:
  // Throws Error.
  explicit JournaldConsumer(const TrialContext& context);

  std::size_t poll(EventVisitor& visitor) override;
  void finish(EventVisitor& visitor) override;
  // Entries that were stored, and removed (vacuumed) before they could be read.
  std::vector<Loss> losses() const override { return losses_; }

 private:
  void visit_entry(EventVisitor& visitor);

  EventEncoding encoding_;
  JournalReader reader_;
  std::uint64_t base_;      // the last number before the load
  std::uint64_t read_ = 0;  // entries of others than the daemon
  std::vector<Loss> losses_;
};

}  // namespace tailgate::journald
