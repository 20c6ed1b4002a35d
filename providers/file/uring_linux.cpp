// Mode io_uring: each thread has a ring. It submits one append write per event, or with sqpoll
// leaves that to the kernel's polling thread. The event is copied, so emit() returns before it is
// in the file. When ring_events are in flight, emit() waits until one completes.
#include <fcntl.h>
#include <fmt/format.h>
#include <liburing.h>

#include <cerrno>
#include <cstring>

#include "harness/base/error.h"
#include "providers/file/descriptor_linux.h"
#include "providers/file/modes.h"
#include "providers/file/refusal.h"

namespace tailgate::file {
namespace {

unsigned setup_flags(const Options& options) {
  return options.boolean("sqpoll") ? IORING_SETUP_SQPOLL : 0;
}

std::string remedy_for(int error) {
  switch (error) {
    case ENOSYS:
      return "use a kernel with io_uring (5.6 or later)";
    case EPERM:
      return "set kernel.io_uring_disabled=0, or allow io_uring in the container's seccomp profile";
    case ENOMEM:
      return "raise the limit on locked memory (ulimit -l), or lower ring_events";
    default:
      return "use another mode of the file sink";
  }
}

class Ring {
 public:
  Ring(const Descriptor& file, unsigned events, std::size_t slot_bytes, unsigned flags)
      : file_(file), slot_bytes_(slot_bytes), slots_(events * slot_bytes), sizes_(events) {
    for (unsigned slot = events; slot > 0; --slot) free_.push_back(slot - 1);
    if (const int error = -io_uring_queue_init(events, &ring_, flags)) {
      throw system_error("io_uring_queue_init", fmt::format("{} entries", events), error,
                         remedy_for(error));
    }
  }
  ~Ring() { io_uring_queue_exit(&ring_); }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  EmitStatus submit(std::span<const std::byte> event, LossCounts& losses) noexcept {
    reap(losses);
    while (free_.empty()) {
      const int result = io_uring_submit_and_wait(&ring_, 1);
      reap(losses);
      if (result < 0 && free_.empty() && !passing(-result)) return refusal_of(-result);
    }
    const unsigned slot = free_.back();
    free_.pop_back();
    sizes_[slot] = static_cast<unsigned>(event.size());
    std::memcpy(data(slot), event.data(), event.size());
    io_uring_sqe* const entry = next_entry();
    io_uring_prep_write(entry, file_.native(), data(slot), sizes_[slot], kAtEnd);
    entry->user_data = slot;
    // If the kernel is short of resources, the entry stays queued and the next call submits it.
    io_uring_submit(&ring_);
    return kAccepted;
  }

  // Waits until every event is in the file or counted as lost.
  void drain(LossCounts& losses) noexcept {
    while (free_.size() < sizes_.size()) {
      const int result = io_uring_submit_and_wait(&ring_, 1);
      reap(losses);
      if (result < 0 && !passing(-result)) {
        losses.add(refusal_of(-result), sizes_.size() - free_.size());
        return;
      }
    }
  }

 private:
  static constexpr std::uint64_t kAtEnd = ~std::uint64_t{0};  // "append": the file is in append
                                                              // mode

  // Returns the next submission entry. There are as many entries as slots, but a slot may become
  // free before its entry does, for two reasons: the kernel's polling thread may complete a write
  // before it updates its position in the queue, and an entry that could not be submitted earlier
  // is still queued.
  io_uring_sqe* next_entry() noexcept {
    io_uring_sqe* entry = nullptr;
    while ((entry = io_uring_get_sqe(&ring_)) == nullptr) {
      io_uring_submit(&ring_);
      io_uring_sqring_wait(&ring_);
    }
    return entry;
  }

  static bool passing(int error) { return error == EINTR || error == EAGAIN || error == EBUSY; }

  std::byte* data(unsigned slot) { return slots_.data() + slot * slot_bytes_; }

  void reap(LossCounts& losses) noexcept {
    io_uring_cqe* completion;
    while (io_uring_peek_cqe(&ring_, &completion) == 0) {
      const auto slot = static_cast<unsigned>(completion->user_data);
      const int result = completion->res;
      io_uring_cqe_seen(&ring_, completion);
      settle(slot, result, losses);
      free_.push_back(slot);
    }
  }

  // When a thread ends, the kernel cancels its writes in flight; it may also write less than asked.
  // Here the provider writes the rest.
  void settle(unsigned slot, int result, LossCounts& losses) noexcept {
    if (result == static_cast<int>(sizes_[slot])) return;
    int error = result < 0 ? -result : 0;
    if (result >= 0 || error == ECANCELED || passing(error)) {
      const std::size_t written = result > 0 ? static_cast<std::size_t>(result) : 0;
      error = file_.write_all(std::span(data(slot), sizes_[slot]).subspan(written));
    }
    if (error != 0) losses.add(refusal_of(error), 1);
  }

  const Descriptor& file_;
  std::size_t slot_bytes_;
  std::vector<std::byte> slots_;
  std::vector<unsigned> sizes_;
  std::vector<unsigned> free_;
  io_uring ring_{};
};

class UringProvider : public Provider {
 public:
  UringProvider(const TrialContext& context, const std::filesystem::path& path)
      : file_(path, O_APPEND) {
    const auto events = static_cast<unsigned>(context.options.integer("ring_events"));
    for (unsigned i = 0; i < context.threads; ++i) {
      rings_.push_back(std::make_unique<Ring>(file_, events, context.max_event_bytes,
                                              setup_flags(context.options)));
    }
  }

  EmitStatus emit(unsigned thread, std::span<const std::byte> event) noexcept override {
    if (!file_.is_open()) return kClosed;
    return rings_[thread]->submit(event, losses_);
  }

  std::vector<std::string> refusal_causes() const override { return file::refusal_causes(); }

  void close() override {
    if (!file_.is_open()) return;
    for (const auto& ring : rings_) ring->drain(losses_);
    rings_.clear();
    file_.close();
  }

  std::vector<Loss> losses() const override { return losses_.losses(); }

 private:
  Descriptor file_;
  std::vector<std::unique_ptr<Ring>> rings_;
  LossCounts losses_;
};

}  // namespace

// Sets up a ring of two entries and closes it at once; that leaves nothing behind.
Probe probe_io_uring(const Options& options) {
  io_uring ring{};
  const int error = -io_uring_queue_init(2, &ring, setup_flags(options));
  if (error == 0) {
    io_uring_queue_exit(&ring);
    return {};
  }
  return {.available = false,
          .reason = system_error("io_uring_setup", "2 entries", error, "").what_failed(),
          .remedy = remedy_for(error)};
}

std::unique_ptr<Provider> open_io_uring(const TrialContext& context,
                                        const std::filesystem::path& path) {
  return std::make_unique<UringProvider>(context, path);
}

}  // namespace tailgate::file
