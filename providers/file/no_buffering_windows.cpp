// Mode no_buffering: writes past the file cache, in whole sectors. All threads share a block of
// memory under a lock. emit() copies the event into it and writes every sector that the event
// touches; the next event writes the last, partly filled sector again. This is the cost of a logger
// that opens its file with FILE_FLAG_NO_BUFFERING and keeps no event back.
#include <cstring>
#include <memory>
#include <mutex>

#include "providers/file/file_handle_windows.h"
#include "providers/file/modes.h"
#include "providers/file/refusal.h"

namespace tailgate::file {
namespace {

// A multiple of every disk's sector size (512 bytes or 4 KiB). Addresses, offsets and lengths must
// be multiples of the sector size.
constexpr std::size_t kSectorBytes = 4096;

// Frees memory of VirtualAlloc: whole pages, which begin at a multiple of the sector size.
struct PageFree {
  void operator()(std::byte* pages) const { VirtualFree(pages, 0, MEM_RELEASE); }
};

std::unique_ptr<std::byte, PageFree> allocate_pages(std::size_t bytes) {
  void* pages = VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
  if (pages == nullptr) {
    throw windows_error("VirtualAlloc", std::to_string(bytes) + " bytes", GetLastError(),
                        "free memory");
  }
  return std::unique_ptr<std::byte, PageFree>(static_cast<std::byte*>(pages));
}

class NoBufferingProvider : public Provider {
 public:
  NoBufferingProvider(const TrialContext& context, const std::filesystem::path& path)
      : path_(path),
        file_(path, GENERIC_WRITE, FILE_FLAG_NO_BUFFERING),
        block_(allocate_pages(kSectorBytes + sectors(context.max_event_bytes))) {}

  EmitStatus emit(unsigned, std::span<const std::byte> event) noexcept override {
    const std::lock_guard lock(mutex_);
    if (!file_.is_open()) return kClosed;
    std::memcpy(block_.get() + filled_, event.data(), event.size());
    const std::size_t end = filled_ + event.size();
    const std::size_t written = sectors(end);
    std::memset(block_.get() + end, 0, written - end);
    if (const DWORD error = file_.write_at({block_.get(), written}, block_offset_)) {
      return refusal_of_windows(error);
    }
    const std::size_t done = end / kSectorBytes * kSectorBytes;
    if (done > 0) std::memcpy(block_.get(), block_.get() + done, end - done);
    block_offset_ += done;
    filled_ = end - done;
    return kAccepted;
  }

  std::vector<std::string> refusal_causes() const override { return file::refusal_causes(); }

  void close() override {
    const std::lock_guard lock(mutex_);
    if (!file_.is_open()) return;
    file_.close();
    std::error_code failed;
    std::filesystem::resize_file(path_, block_offset_ + filled_, failed);  // removes the zeros at
                                                                           // the end
    if (failed) {
      throw Error("truncating '" + path_.string() + "' failed: " + failed.message(),
                  "check the disk");
    }
  }

 private:
  static std::size_t sectors(std::size_t bytes) {
    return (bytes + kSectorBytes - 1) / kSectorBytes * kSectorBytes;
  }

  std::filesystem::path path_;
  FileHandle file_;
  std::mutex mutex_;
  std::unique_ptr<std::byte, PageFree> block_;  // the partly filled sector, and room for an event
  std::size_t filled_ = 0;                      // bytes of the block, less than a sector
  std::uint64_t block_offset_ = 0;
};

}  // namespace

std::unique_ptr<Provider> open_no_buffering(const TrialContext& context,
                                            const std::filesystem::path& path) {
  return std::make_unique<NoBufferingProvider>(context, path);
}

}  // namespace tailgate::file
