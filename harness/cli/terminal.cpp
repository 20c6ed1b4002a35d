#include "harness/cli/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace tailgate {
namespace {

constexpr std::size_t kColumns = 79;
constexpr std::uint64_t kShowEveryMs = 100;

std::uint64_t now_ms() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(since).count());
}

}  // namespace

bool colour_wanted(std::FILE* stream) {
  const char* no_color = std::getenv("NO_COLOR");
  return (no_color == nullptr || *no_color == '\0') && is_terminal(stream);
}

void tell(const std::string& text) noexcept {
  std::fputs(text.c_str(), stderr);
}

StatusLine::StatusLine() : active_(is_terminal(stderr)) {}

void StatusLine::show(std::string_view text) {
  if (!active_ || (shown_ && now_ms() - last_ms_ < kShowEveryMs)) return;
  last_ms_ = now_ms();
  shown_ = true;
  tell(fmt::format("\r{:<79}", text.substr(0, std::min(text.size(), kColumns))));
  std::fflush(stderr);
}

void StatusLine::clear() {
  if (!shown_) return;
  shown_ = false;
  tell(fmt::format("\r{:79}\r", ""));
  std::fflush(stderr);
}

}  // namespace tailgate
