// Modes rotate, launch and capped: one unbuffered write per event, under a lock. At max_bytes
// rotate removes the oldest of its files, and capped takes no more events. Each launch of the
// program has a file of its own, and removes the oldest of earlier launches before it begins.
#include <optional>

#include "providers/file/modes.h"
#include "providers/file/refusal.h"
#include "providers/shared/storage/rotating_log.h"

namespace tailgate::file {
namespace {

class RotatingProvider : public Provider {
 public:
  RotatingProvider(const std::filesystem::path& path, RotatingLog::Plan plan) {
    if (plan.at_cap == RotatingLog::AtCap::remove_oldest) {
      plan.requests = &requests_.emplace(requests_path(path));
    }
    log_.emplace(path, plan);
  }

  EmitStatus emit(unsigned, std::span<const std::byte> event) noexcept override {
    if (closed_) return kClosed;
    int error = 0;
    switch (log_->append(event, error)) {
      case RotatingLog::Append::done:
        return kAccepted;
      case RotatingLog::Append::at_cap:
        return kFull;
      case RotatingLog::Append::failed:
        break;
    }
    return refusal_of(error == 0 ? EIO : error);
  }

  std::vector<std::string> refusal_causes() const override { return file::refusal_causes(); }

  void close() override {
    closed_ = true;
    log_->close();
  }

  std::vector<Loss> losses() const override {
    if (log_->removed_events() == 0) return {};
    return {{"removed at the cap", log_->removed_events()}};
  }

 private:
  std::optional<RotationRequests> requests_;
  std::optional<RotatingLog> log_;
  bool closed_ = false;
};

std::uint64_t max_bytes(const TrialContext& context) {
  return static_cast<std::uint64_t>(context.options.integer("max_bytes"));
}

unsigned files_count(const TrialContext& context) {
  return static_cast<unsigned>(context.options.integer("files_count"));
}

}  // namespace

std::filesystem::path requests_path(const std::filesystem::path& path) {
  return path.parent_path() / ".rotations";
}

std::unique_ptr<Provider> open_launch(const TrialContext& context,
                                      const std::filesystem::path& path) {
  const bool seconds = context.options.text("launch_names") == "seconds";
  return std::make_unique<RotatingProvider>(
      path,
      RotatingLog::Plan{
          .max_bytes = max_bytes(context),
          .files = files_count(context),
          .names = seconds ? RotatingLog::Names::seconds : RotatingLog::Names::times,
          .launch_events = static_cast<std::uint64_t>(context.options.integer("launch_every"))});
}

std::unique_ptr<Provider> open_rotate(const TrialContext& context,
                                      const std::filesystem::path& path) {
  return std::make_unique<RotatingProvider>(
      path, RotatingLog::Plan{.max_bytes = max_bytes(context), .files = files_count(context)});
}

std::unique_ptr<Provider> open_capped(const TrialContext& context,
                                      const std::filesystem::path& path) {
  return std::make_unique<RotatingProvider>(
      path, RotatingLog::Plan{
                .max_bytes = max_bytes(context), .files = 1, .at_cap = RotatingLog::AtCap::refuse});
}

}  // namespace tailgate::file
