#include "providers/lttng/consumer.h"

#include <algorithm>

#include "harness/base/error.h"

namespace tailgate::lttng_detail {
namespace {

const std::filesystem::path& existing(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder)) {
    throw Error("no trace in '" + folder.string() + "'", "start the session before its consumer");
  }
  return folder;
}

}  // namespace

std::filesystem::path trace_folder(const TrialContext& context) {
  return context.directory / "trace";
}

class TraceConsumer::Forward : public CtfVisitor {
 public:
  Forward(TraceConsumer& consumer, EventVisitor& visitor)
      : consumer_(consumer), visitor_(visitor) {}
  void event(const CtfEvent& event) override {
    if (consumer_.count_gaps_) consumer_.count(event.payload);
    visitor_.event(event.payload);
  }
  void damage(std::size_t bytes) override { visitor_.damage(bytes); }

 private:
  TraceConsumer& consumer_;
  EventVisitor& visitor_;
};

TraceConsumer::TraceConsumer(const TrialContext& context, bool count_gaps)
    : reader_(existing(trace_folder(context))),
      count_gaps_(count_gaps),
      run_(context.run),
      encoding_(context.encoding),
      threads_(context.threads) {}

void TraceConsumer::count(std::span<const std::byte> event) {
  EventStamp stamp;
  if (check_event(event, encoding_, stamp) != EventCheck::intact) return;
  if (stamp.run != run_ || stamp.thread >= threads_.size()) return;
  Thread& thread = threads_[stamp.thread];
  ++thread.seen;
  thread.next = std::max(thread.next, stamp.sequence + 1);
}

std::size_t TraceConsumer::poll(EventVisitor& visitor) {
  Forward forward(*this, visitor);
  return reader_.poll(forward);
}

void TraceConsumer::finish(EventVisitor& visitor) {
  Forward forward(*this, visitor);
  reader_.finish(forward);
}

std::vector<Loss> TraceConsumer::losses() const {
  std::uint64_t missing = 0;
  for (const Thread& thread : threads_) missing += thread.next - std::min(thread.next, thread.seen);
  if (missing == 0) return {};
  return {{"overwritten", missing}};
}

}  // namespace tailgate::lttng_detail
