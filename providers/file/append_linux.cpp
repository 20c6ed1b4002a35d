// Modes write, odsync and fdatasync: one write(2) per event on a descriptor in append mode. With
// odsync the call returns once the event is on the disk. With fdatasync every Nth call synchronises
// all events so far.
#include <fcntl.h>

#include "providers/file/descriptor_linux.h"
#include "providers/file/modes.h"
#include "providers/file/refusal.h"

namespace tailgate::file {
namespace {

class AppendProvider : public Provider {
 public:
  AppendProvider(const std::filesystem::path& path, int flags, std::uint64_t sync_every)
      : path_(path), file_(path, O_APPEND | flags), sync_(sync_every) {}

  EmitStatus emit(unsigned, std::span<const std::byte> event) noexcept override {
    if (!file_.is_open()) return kClosed;
    if (const int error = file_.write_all(event)) return refusal_of(error);
    sync_.after_event(file_);
    return kAccepted;
  }

  std::vector<std::string> refusal_causes() const override { return file::refusal_causes(); }

  void close() override {
    if (!file_.is_open()) return;
    file_.close();
    sync_.check(path_);
  }

 private:
  std::filesystem::path path_;
  Descriptor file_;
  PeriodicSync sync_;
};

}  // namespace

std::unique_ptr<Provider> open_write(const TrialContext&, const std::filesystem::path& path) {
  return std::make_unique<AppendProvider>(path, 0, 0);
}

std::unique_ptr<Provider> open_odsync(const TrialContext&, const std::filesystem::path& path) {
  return std::make_unique<AppendProvider>(path, O_DSYNC, 0);
}

std::unique_ptr<Provider> open_fdatasync(const TrialContext& context,
                                         const std::filesystem::path& path) {
  const auto every = static_cast<std::uint64_t>(context.options.integer("sync_every"));
  return std::make_unique<AppendProvider>(path, 0, every);
}

}  // namespace tailgate::file
