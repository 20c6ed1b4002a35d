// Modes write, write_through and flush_buffers: one WriteFile per event on an append-only handle,
// so Windows writes each event in one piece. With write_through the call returns once the event is
// past the cache. With flush_buffers every Nth call flushes the cache for all events so far.
#include "providers/file/file_handle_windows.h"
#include "providers/file/modes.h"
#include "providers/file/refusal.h"

namespace tailgate::file {
namespace {

class AppendProvider : public Provider {
 public:
  AppendProvider(const std::filesystem::path& path, DWORD flags, std::uint64_t flush_every)
      : path_(path), file_(path, FILE_APPEND_DATA | SYNCHRONIZE, flags), every_(flush_every) {}

  EmitStatus emit(unsigned, std::span<const std::byte> event) noexcept override {
    if (!file_.is_open()) return kClosed;
    if (const DWORD error = file_.write(event)) return refusal_of_windows(error);
    if (every_ == 0) return kAccepted;
    const std::uint64_t number = events_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (number % every_ != 0) return kAccepted;
    if (const DWORD error = file_.flush()) error_.store(error, std::memory_order_relaxed);
    return kAccepted;
  }

  std::vector<std::string> refusal_causes() const override { return file::refusal_causes(); }

  // Throws Error when a flush failed. The events are then in the file, but perhaps not on the disk,
  // so the measured times are not those of durable events.
  void close() override {
    if (!file_.is_open()) return;
    file_.close();
    if (const DWORD error = error_.load()) {
      throw windows_error("FlushFileBuffers", path_.string(), error, "check the disk");
    }
  }

 private:
  std::filesystem::path path_;
  FileHandle file_;
  std::uint64_t every_;
  std::atomic<std::uint64_t> events_ = 0;
  std::atomic<DWORD> error_ = 0;
};

}  // namespace

std::unique_ptr<Provider> open_write(const TrialContext&, const std::filesystem::path& path) {
  return std::make_unique<AppendProvider>(path, 0, 0);
}

std::unique_ptr<Provider> open_write_through(const TrialContext&,
                                             const std::filesystem::path& path) {
  return std::make_unique<AppendProvider>(path, FILE_FLAG_WRITE_THROUGH, 0);
}

std::unique_ptr<Provider> open_flush_buffers(const TrialContext& context,
                                             const std::filesystem::path& path) {
  const auto every = static_cast<std::uint64_t>(context.options.integer("sync_every"));
  return std::make_unique<AppendProvider>(path, 0, every);
}

}  // namespace tailgate::file
