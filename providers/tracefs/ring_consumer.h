// Reads events out of an instance's buffers, one of each processor, in the order of their times.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/tracefs/event_format.h"
#include "harness/tracefs/ring_page.h"
#include "harness/tracefs/trace_folder.h"
#include "providers/sink.h"

namespace tailgate::tracefs {

// The buffer of one processor.
class CpuBuffer {
 public:
  // file: its trace_pipe_raw, opened non-blocking.
  CpuBuffer(Handle file, std::string name, const PageLayout& layout);
  // page_ refers to bytes_, which keep their place in a move.
  CpuBuffer(CpuBuffer&&) = default;

  // The oldest record that was not taken, or nothing. Does not read.
  const RingRecord* front() const { return record_ ? &*record_ : nullptr; }
  void pop(EventVisitor& visitor);

  // Where front() has nothing: reads the next page with a record on it. False when there is
  // nothing to read. Throws Error.
  bool refill(EventVisitor& visitor);

  // Events that were overwritten, as the headers of the pages say, and how many headers said so
  // without a number.
  std::uint64_t missed_events() const { return missed_events_; }
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

  const std::vector<CpuBuffer>& buffers() const { return buffers_; }

 private:
  CpuBuffer* oldest();
  void refill_all(EventVisitor& visitor);
  std::size_t hand_over(std::span<const std::byte> data, EventVisitor& visitor) const;

  RecordFormat format_;
  std::vector<CpuBuffer> buffers_;
};

}  // namespace tailgate::tracefs
