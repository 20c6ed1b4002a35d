// Mode preallocated: fills the file with zeros and synchronises it before the trial, as databases
// do with their logs. emit() overwrites the next bytes, so that fdatasync after every Nth event has
// no metadata to write. A full file refuses events; close() truncates it.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "harness/base/error.h"
#include "providers/file/descriptor_linux.h"
#include "providers/file/modes.h"
#include "providers/file/refusal.h"

namespace tailgate::file {
namespace {

constexpr std::uint64_t kMinCapacityBytes = 1u << 20;

std::uint64_t capacity_of(const TrialContext& context) {
  const auto asked = static_cast<std::uint64_t>(context.options.integer("capacity_bytes"));
  if (asked != 0) return asked;
  return std::max(context.expected_bytes + context.expected_bytes / 4, kMinCapacityBytes);
}

void fill_with_zeros(Descriptor& file, const std::filesystem::path& path, std::uint64_t bytes) {
  const std::vector<std::byte> zeros(1u << 20);
  for (std::uint64_t at = 0; at < bytes; at += zeros.size()) {
    const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(zeros.size(), bytes - at));
    if (const int error = file.write_all_at(std::span(zeros).first(piece), at)) {
      throw system_error(fmt::format("preallocating {} bytes: write", bytes), path.string(), error,
                         "free disk space, or give a smaller capacity_bytes");
    }
  }
  if (::fdatasync(file.native()) != 0) {
    throw system_error("fdatasync", path.string(), errno, "check the disk");
  }
}

class PreallocatedProvider : public Provider {
 public:
  PreallocatedProvider(const TrialContext& context, const std::filesystem::path& path)
      : path_(path),
        file_(path, 0),
        sync_(static_cast<std::uint64_t>(context.options.integer("sync_every"))),
        capacity_bytes_(capacity_of(context)) {
    fill_with_zeros(file_, path, capacity_bytes_);
  }

  EmitStatus emit(unsigned, std::span<const std::byte> event) noexcept override {
    if (!file_.is_open()) return kClosed;
    std::uint64_t at = used_bytes_.load(std::memory_order_relaxed);
    do {
      if (at + event.size() > capacity_bytes_) return kFull;
    } while (!used_bytes_.compare_exchange_weak(at, at + event.size(), std::memory_order_relaxed));
    if (const int error = file_.write_all_at(event, at)) return refusal_of(error);
    sync_.after_event(file_);
    return kAccepted;
  }

  std::vector<std::string> refusal_causes() const override { return file::refusal_causes(); }

  void close() override {
    if (!file_.is_open()) return;
    const int error =
        ::ftruncate(file_.native(), static_cast<off_t>(used_bytes_.load())) == 0 ? 0 : errno;
    file_.close();
    if (error != 0) throw system_error("ftruncate", path_.string(), error, "check the disk");
    sync_.check(path_);
  }

 private:
  std::filesystem::path path_;
  Descriptor file_;
  PeriodicSync sync_;
  std::uint64_t capacity_bytes_;
  alignas(64) std::atomic<std::uint64_t> used_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Provider> open_preallocated(const TrialContext& context,
                                            const std::filesystem::path& path) {
  return std::make_unique<PreallocatedProvider>(context, path);
}

}  // namespace tailgate::file
