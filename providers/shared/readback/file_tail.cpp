#include "providers/shared/readback/file_tail.h"

#include <fmt/format.h>

#include <cerrno>
#include <ios>

#include "harness/base/error.h"

namespace tailgate {

FileTail::FileTail(const std::filesystem::path& path) : path_(path), window_(kWindowBytes) {
  file_.pubsetbuf(nullptr, 0);  // window_ is the buffer; a second one would go stale
  if (file_.open(path, std::ios::in | std::ios::binary) == nullptr) {
    throw system_error("open", path.string(), errno, "start the session before its consumer");
  }
}

std::span<const std::byte> FileTail::fill() {
  // A live reader that waits for the writer reads a smaller window each time.
  const std::size_t wanted = idle_ ? kIdleWindowBytes : kWindowBytes;
  std::streamsize got = 0;
  try {
    const auto position = static_cast<std::streamoff>(consumed_bytes_);
    if (file_.pubseekpos(position, std::ios::in) == std::streampos(std::streamoff{-1})) {
      throw std::ios::failure("cannot seek");
    }
    got = file_.sgetn(window_.data(), static_cast<std::streamsize>(wanted));
  } catch (const std::ios::failure& failure) {
    throw Error(fmt::format("reading '{}' at byte {} failed: {}", path_.string(), consumed_bytes_,
                            failure.what()),
                "check the disk and the kernel log");
  }
  idle_ = true;
  at_end_ = static_cast<std::size_t>(got) < wanted;
  return std::as_bytes(std::span(window_)).first(static_cast<std::size_t>(got));
}

void FileTail::consume(std::size_t bytes) {
  if (bytes == 0) return;
  consumed_bytes_ += bytes;
  idle_ = false;
}

}  // namespace tailgate
