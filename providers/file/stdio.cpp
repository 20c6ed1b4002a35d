// Mode stdio: fwrite into the C library's buffer, whose lock all threads share. The library writes
// the buffer when it is full, after every flush_every events, and at close().
#include <cerrno>
#include <cstdio>

#include "providers/file/modes.h"
#include "providers/file/refusal.h"

namespace tailgate::file {
namespace {

class StdioProvider : public Provider {
 public:
  StdioProvider(const TrialContext& context, const std::filesystem::path& path)
      : path_(path),
        buffer_(static_cast<std::size_t>(context.options.integer("buffer_bytes"))),
        flush_every_(static_cast<std::uint64_t>(context.options.integer("flush_every"))),
        file_(std::fopen(path.string().c_str(), "ab")) {
    if (file_ == nullptr) {
      throw system_error("fopen", path.string(), errno, "start the session before its provider");
    }
    std::setvbuf(file_, buffer_.data(), _IOFBF, buffer_.size());
  }
  ~StdioProvider() override {
    if (file_ != nullptr) std::fclose(file_);
  }

  EmitStatus emit(unsigned, std::span<const std::byte> event) noexcept override {
    if (file_ == nullptr) return kClosed;
    if (std::fwrite(event.data(), 1, event.size(), file_) != event.size()) return refusal_of(errno);
    if (flush_every_ == 0) return kAccepted;
    const std::uint64_t number = events_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (number % flush_every_ != 0 || std::fflush(file_) == 0) return kAccepted;
    return refusal_of(errno);
  }

  std::vector<std::string> refusal_causes() const override { return file::refusal_causes(); }

  void close() override {
    if (file_ == nullptr) return;
    if (std::fclose(std::exchange(file_, nullptr)) != 0) {
      throw system_error("fclose", path_.string(), errno,
                         "free disk space; events of the last buffer are missing");
    }
  }

 private:
  std::filesystem::path path_;
  std::vector<char> buffer_;
  std::uint64_t flush_every_;
  std::atomic<std::uint64_t> events_ = 0;
  std::FILE* file_;
};

}  // namespace

std::unique_ptr<Provider> open_stdio(const TrialContext& context,
                                     const std::filesystem::path& path) {
  return std::make_unique<StdioProvider>(context, path);
}

}  // namespace tailgate::file
