#include "providers/lttng/consumer.h"

#include <algorithm>
#include <string>

#include "harness/base/error.h"
#include "providers/lttng/options.h"

namespace tailgate::lttng_detail {
namespace {

const std::filesystem::path& existing(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder)) {
    throw Error("no trace in '" + folder.string() + "'", "start the session before its consumer");
  }
  return folder;
}

}  // namespace

std::filesystem::path trace_folder(const TrialContext& context, unsigned session) {
  return context.directory / (session == 0 ? "trace" : "session-" + std::to_string(session));
}

std::filesystem::path completion_mark(const std::filesystem::path& trial_directory) {
  return trial_directory / "trace-complete";
}

class TraceConsumer::Forward : public CtfVisitor {
 public:
  Forward(TraceConsumer& consumer, EventVisitor& visitor)
      : consumer_(consumer), visitor_(visitor) {}
  void event(const CtfEvent& event) override { visitor_.event(event.payload); }
  void damage(std::size_t bytes) override {
    consumer_.damaged_ = true;
    visitor_.damage(bytes);
  }

 private:
  TraceConsumer& consumer_;
  EventVisitor& visitor_;
};

TraceConsumer::TraceConsumer(const TrialContext& context, unsigned session, bool overwrites)
    : reader_(existing(trace_folder(context, session))),
      overwrites_(overwrites),
      wraps_(wraps(context.options)),
      packet_bytes_(static_cast<std::size_t>(context.options.integer("subbuf_bytes"))),
      completion_mark_(completion_mark(context.directory)) {
  if (wraps_) reader_.read_in_order();
}

std::size_t TraceConsumer::poll(EventVisitor& visitor) {
  Forward forward(*this, visitor);
  return reader_.poll(forward);
}

void TraceConsumer::finish(EventVisitor& visitor) {
  Forward forward(*this, visitor);
  reader_.finish(forward);
}

std::vector<Loss> TraceConsumer::losses(std::uint64_t missing) const {
  if (!overwrites_ && !wraps_) return {};
  const CtfLosses told = reader_.losses(packet_bytes_);
  std::vector<Loss> losses;
  if (overwrites_) losses.push_back({"discarded", told.discarded_events});
  if (!damaged_ && std::filesystem::exists(completion_mark_)) {
    const std::uint64_t rest = missing - std::min(missing, told.discarded_events);
    losses.push_back(
        {wraps_ ? "removed at the cap" : "overwritten", std::min(rest, told.missing_events_limit)});
  }
  std::erase_if(losses, [](const Loss& loss) { return loss.events == 0; });
  return losses;
}

}  // namespace tailgate::lttng_detail
