// Where the synthetic sink's provider processes store their events, and how they are read.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "harness/sink/sink.h"
#include "providers/shared/readback/event_stream.h"
#include "providers/shared/readback/file_sequence.h"
#include "providers/shared/storage/mapped_log.h"
#include "providers/shared/storage/rotating_log.h"
#include "providers/synthetic/planted_faults.h"
#include "providers/synthetic/switched.h"

namespace tailgate::synthetic_detail {

inline std::filesystem::path rotations_path(const TrialContext& context) {
  return context.directory / ".synthetic.rotations";
}

// Each provider process has a store of its own, and one more for a rival's session.
inline std::filesystem::path store_path(const TrialContext& context, unsigned process,
                                        unsigned session = 0) {
  const char* const of = session == 0 ? "synthetic" : "rival";
  return context.directory / fmt::format("{}-{}.events", of, process);
}

// Whether a rival's session that a scenario starts is on: from its first switch to its second.
inline std::filesystem::path rival_session_path(const TrialContext& context) {
  return context.directory / ".synthetic.rival-session";
}

inline std::uint64_t cap_bytes(const TrialContext& context) {
  return static_cast<std::uint64_t>(context.options.integer("cap_bytes"));
}

// Where the events of a provider process are: one mapped file, or with a cap several that are
// written.
class SyntheticStore {
 public:
  explicit SyntheticStore(const TrialContext& context) {
    const std::filesystem::path path = store_path(context, context.process);
    if (const std::uint64_t cap = cap_bytes(context); cap > 0) {
      const auto late = static_cast<std::uint64_t>(context.options.integer("cap_late_events"));
      loses_ = static_cast<std::uint64_t>(context.options.integer("rotate_loses_events"));
      requests_.emplace(rotations_path(context));
      capped_.emplace(path, RotatingLog::Plan{.max_bytes = cap,
                                              .files = kCappedFiles,
                                              .requests = &*requests_,
                                              .late_events = late});
    } else {
      mapped_.emplace(path, context.expected_bytes / context.processes);
    }
  }

  bool append(std::span<const std::byte> event) noexcept {
    if (mapped_) [[likely]]
      return mapped_->append(event);
    if (loses_ > 0 && requests_->due()) {
      to_lose_ = loses_;
      requests_->done();
    }
    if (to_lose_ > 0) {
      --to_lose_;
      return true;
    }
    int error = 0;
    return capped_->append(event, error) == RotatingLog::Append::done;
  }

  void close() {
    if (mapped_) mapped_->close();
    if (capped_) capped_->close();
  }

  std::uint64_t removed_events() const { return capped_ ? capped_->removed_events() : 0; }

 private:
  static constexpr unsigned kCappedFiles = 4;
  std::optional<MappedLog> mapped_;
  std::optional<RotationRequests> requests_;
  std::optional<RotatingLog> capped_;
  std::uint64_t loses_ = 0;  // events, at each rotation
  std::uint64_t to_lose_ = 0;
};

// Reads what a provider process stored for the session that the context names.
inline std::unique_ptr<Consumer> open_store(const TrialContext& context, unsigned process) {
  const std::filesystem::path path = store_path(context, process, context.session);
  const bool capped = cap_bytes(context) > 0 && context.session == 0;
  const auto open = [encoding = context.encoding, capped](const std::filesystem::path& file) {
    return std::make_unique<EventStreamConsumer>(
        file, encoding, capped ? FileGrowth::append : FileGrowth::in_place);
  };
  if (!capped) return open(path);
  return std::make_unique<FileSequence>(RotatingLog::files_of(path), open);
}

// What a rival's session gets beside the first one.
class RivalStore {
 public:
  explicit RivalStore(const TrialContext& context)
      : switch_(rival_session_path(context)),
        lose_every_(static_cast<std::uint64_t>(context.options.integer("rival_lose_every"))),
        store_(store_path(context, context.process, 1),
               context.expected_bytes / context.processes) {}

  void add(std::span<const std::byte> event) noexcept {
    if (SharedSwitch::is_on(switch_.switches())) return;  // it is on when it has been used once
    const std::uint64_t number = events_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (!strikes(number, lose_every_)) store_.append(event);
  }
  void close() { store_.close(); }

 private:
  SharedSwitch switch_;
  std::uint64_t lose_every_;
  std::atomic<std::uint64_t> events_ = 0;
  MappedLog store_;
};

}  // namespace tailgate::synthetic_detail
