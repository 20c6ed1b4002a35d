// Reads events from the per-CPU buffers of a trace instance and merges them by time.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/sink/sink.h"
#include "harness/tracefs/event_format.h"
#include "harness/tracefs/ring_page.h"
#include "harness/tracefs/trace_folder.h"

namespace tailgate::tracefs {

// The buffer of one CPU.
class CpuBuffer {
 public:
  // file: its trace_pipe_raw, opened non-blocking.
  CpuBuffer(Handle file, std::string name, const PageLayout& layout);
  // page_ points into bytes_, whose address a move does not change.
  CpuBuffer(CpuBuffer&&) = default;

  // The oldest record that was not popped, or null. Does not read from the kernel.
  const RingRecord* front() const { return record_ ? &*record_ : nullptr; }
  void pop(EventVisitor& visitor);

  // Call it when front() is null: reads the next page that holds a record. Returns false when there
  // is nothing to read. Throws Error.
  bool refill(EventVisitor& visitor);

  // Overwritten events, as the page headers count them.
  std::uint64_t missed_events() const { return missed_events_; }
  // The number of page headers that report a loss without a count. For tests.
  std::uint64_t missed_without_number() const { return missed_without_number_; }

 private:
  Handle file_;
  std::string name_;
  PageLayout layout_;
  std::vector<std::byte> bytes_;
  RingPage page_;
  std::optional<RingRecord> record_;
  std::uint64_t missed_events_ = 0;
  std::uint64_t missed_without_number_ = 0;
};

class RingConsumer : public Consumer {
 public:
  // instance: see open_instance(). Throws Error.
  RingConsumer(const TraceFolder& instance, const RecordFormat& format);

  std::size_t poll(EventVisitor& visitor) override;

  // Asks the kernel for the events that it overwrote without counting them: everything was read,
  // yet its books hold more (BufferCounts::kept_events).
  void finish(EventVisitor& visitor) override;
  std::vector<Loss> losses(std::uint64_t missing) const override;

  const std::vector<CpuBuffer>& buffers() const { return buffers_; }

 private:
  CpuBuffer* oldest();
  void refill_all(EventVisitor& visitor);
  std::size_t hand_over(std::span<const std::byte> data, EventVisitor& visitor) const;

  TraceFolder instance_;
  RecordFormat format_;
  std::vector<CpuBuffer> buffers_;
  std::uint64_t uncounted_events_ = 0;
};

}  // namespace tailgate::tracefs
