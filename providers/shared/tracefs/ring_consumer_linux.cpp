#include "providers/shared/tracefs/ring_consumer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "harness/base/error.h"
#include "harness/tracefs/instance.h"

namespace tailgate::tracefs {
namespace {

constexpr std::chrono::milliseconds kPollBudget{2};

}  // namespace

CpuBuffer::CpuBuffer(Handle file, std::string name, const PageLayout& layout)
    : file_(std::move(file)), name_(std::move(name)), layout_(layout), bytes_(layout.page_bytes) {}

void CpuBuffer::pop(EventVisitor& visitor) {
  RingRecord record;
  if (page_.next(record)) {
    record_ = record;
    return;
  }
  record_.reset();
  if (page_.damaged_bytes() > 0) visitor.damage(page_.damaged_bytes());
}

bool CpuBuffer::refill(EventVisitor& visitor) {
  while (!record_) {
    const ssize_t bytes = ::read(file_.native(), bytes_.data(), bytes_.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes == 0 || (bytes < 0 && errno == EAGAIN)) return false;
    if (bytes < 0) {
      throw system_error("read", name_ + "/trace_pipe_raw", errno, "see the kernel's log");
    }
    page_ = RingPage(layout_, std::span(bytes_).first(static_cast<std::size_t>(bytes)));
    missed_events_ += page_.missed_events().value_or(0);
    if (page_.missed() && !page_.missed_events()) ++missed_without_number_;
    pop(visitor);
  }
  return true;
}

RingConsumer::RingConsumer(const TraceFolder& instance, const RecordFormat& format)
    : instance_(instance.folder(".")), format_(format) {
  const PageLayout layout =
      parse_page_layout(instance.read("events/header_page"), instance.read("events/header_event"));
  for (const std::string& cpu : instance.folders_in("per_cpu")) {
    const std::string path = "per_cpu/" + cpu;
    buffers_.emplace_back(instance.open(path + "/trace_pipe_raw", O_RDONLY | O_NONBLOCK), path,
                          layout);
  }
}

std::size_t RingConsumer::poll(EventVisitor& visitor) {
  const auto deadline = std::chrono::steady_clock::now() + kPollBudget;
  std::size_t events = 0;
  refill_all(visitor);
  while (CpuBuffer* const buffer = oldest()) {
    events += hand_over(buffer->front()->data, visitor);
    buffer->pop(visitor);
    if (buffer->front() != nullptr) continue;
    if (events > 0 && std::chrono::steady_clock::now() > deadline) break;
    refill_all(visitor);
  }
  return events;
}

void RingConsumer::finish(EventVisitor&) {
  uncounted_events_ = buffer_counts(instance_).kept_events;
}

std::vector<Loss> RingConsumer::losses(std::uint64_t missing) const {
  const std::uint64_t events = std::min(missing, uncounted_events_);
  if (events == 0) return {};
  return {{"overrun that the kernel did not count", events}};
}

CpuBuffer* RingConsumer::oldest() {
  CpuBuffer* oldest = nullptr;
  for (CpuBuffer& buffer : buffers_) {
    if (buffer.front() == nullptr) continue;
    if (oldest == nullptr || buffer.front()->ticks < oldest->front()->ticks) oldest = &buffer;
  }
  return oldest;
}

// A thread that moves to another CPU leaves its events in two buffers. The merge is in order only
// if every buffer has, since the last page was read, shown its oldest record or been found empty.
// So after each page that is read, all empty buffers are polled again.
void RingConsumer::refill_all(EventVisitor& visitor) {
  std::size_t seen = 0;  // buffers visited since the last page was read
  for (std::size_t i = 0; seen < buffers_.size(); i = (i + 1) % buffers_.size()) {
    CpuBuffer& buffer = buffers_[i];
    const bool was_empty = buffer.front() == nullptr;
    seen = was_empty && buffer.refill(visitor) ? 1 : seen + 1;
  }
}

std::size_t RingConsumer::hand_over(std::span<const std::byte> data, EventVisitor& visitor) const {
  std::span<const std::byte> event;
  switch (find_event(format_, data, event)) {
    case Found::event:
      visitor.event(event);
      return 1;
    case Found::damaged:
      visitor.damage(data.size());
      return 0;
    case Found::foreign:
      return 0;
  }
  return 0;
}

}  // namespace tailgate::tracefs
