// Mode mmap: copies the event into a mapped file whose pages are present beforehand. emit() makes
// no system call; the kernel writes the pages to the disk later.
#include "providers/file/modes.h"
#include "providers/file/refusal.h"
#include "providers/shared/storage/mapped_log.h"

namespace tailgate::file {
namespace {

class MappedProvider : public Provider {
 public:
  MappedProvider(const TrialContext& context, const std::filesystem::path& path)
      : log_(path, context.expected_bytes) {}

  EmitStatus emit(unsigned, std::span<const std::byte> event) noexcept override {
    if (closed_) return kClosed;
    return log_.append(event) ? kAccepted : kFull;
  }

  std::vector<std::string> refusal_causes() const override { return file::refusal_causes(); }

  void close() override {
    closed_ = true;
    log_.close();
  }

 private:
  MappedLog log_;
  bool closed_ = false;
};

}  // namespace

std::unique_ptr<Provider> open_mmap(const TrialContext& context,
                                    const std::filesystem::path& path) {
  return std::make_unique<MappedProvider>(context, path);
}

}  // namespace tailgate::file
