// Mode writev: each thread copies its events into a batch of its own. It writes batch_events of
// them with one writev(2), and the rest at close(). No thread waits for another's batch.
#include <fcntl.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstring>

#include "providers/file/descriptor_linux.h"
#include "providers/file/modes.h"
#include "providers/file/refusal.h"

namespace tailgate::file {
namespace {

class alignas(64) Batch {
 public:
  Batch(std::size_t events, std::size_t max_event_bytes)
      : slot_bytes_(max_event_bytes), slots_(events * max_event_bytes), pieces_(events) {}

  // `event` is at most max_event_bytes long. Returns true when the batch is full now.
  bool add(std::span<const std::byte> event) noexcept {
    std::byte* const slot = slots_.data() + filled_ * slot_bytes_;
    std::memcpy(slot, event.data(), event.size());
    pieces_[filled_++] = {slot, event.size()};
    return filled_ == pieces_.size();
  }

  // Writes all events and empties the batch. An event that was not written to its last byte is
  // lost.
  void write_to(const Descriptor& file, LossCounts& losses) noexcept {
    std::size_t first = 0;
    while (first < filled_) {
      const ssize_t written =
          ::writev(file.native(), &pieces_[first], static_cast<int>(filled_ - first));
      if (written < 0) {
        if (errno == EINTR) continue;
        losses.add(refusal_of(errno), filled_ - first);
        break;
      }
      first = advance(first, static_cast<std::size_t>(written));
    }
    filled_ = 0;
  }

 private:
  // Skips the pieces that `written` bytes cover. Returns the index of the first incomplete piece,
  // cut to its missing part.
  std::size_t advance(std::size_t first, std::size_t written) noexcept {
    while (first < filled_ && written >= pieces_[first].iov_len) {
      written -= pieces_[first++].iov_len;
    }
    if (first < filled_) {
      pieces_[first].iov_base = static_cast<std::byte*>(pieces_[first].iov_base) + written;
      pieces_[first].iov_len -= written;
    }
    return first;
  }

  std::size_t slot_bytes_;
  std::vector<std::byte> slots_;
  std::vector<iovec> pieces_;
  std::size_t filled_ = 0;
};

class BatchProvider : public Provider {
 public:
  BatchProvider(const TrialContext& context, const std::filesystem::path& path)
      : file_(path, O_APPEND) {
    const auto events = static_cast<std::size_t>(context.options.integer("batch_events"));
    for (unsigned i = 0; i < context.threads; ++i) {
      batches_.emplace_back(events, context.max_event_bytes);
    }
  }

  EmitStatus emit(unsigned thread, std::span<const std::byte> event) noexcept override {
    if (!file_.is_open()) return kClosed;
    if (batches_[thread].add(event)) batches_[thread].write_to(file_, losses_);
    return kAccepted;
  }

  std::vector<std::string> refusal_causes() const override { return file::refusal_causes(); }

  void close() override {
    if (!file_.is_open()) return;
    for (Batch& batch : batches_) batch.write_to(file_, losses_);
    file_.close();
  }

  std::vector<Loss> losses() const override { return losses_.losses(); }

 private:
  Descriptor file_;
  std::vector<Batch> batches_;
  LossCounts losses_;
};

}  // namespace

std::unique_ptr<Provider> open_writev(const TrialContext& context,
                                      const std::filesystem::path& path) {
  return std::make_unique<BatchProvider>(context, path);
}

}  // namespace tailgate::file
