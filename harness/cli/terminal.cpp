#include "harness/cli/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
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

StatusLine::StatusLine() : active_(is_terminal(stderr)) {}

void StatusLine::show(std::string_view text) {
  if (!active_ || (shown_ && now_ms() - last_ms_ < kShowEveryMs)) return;
  last_ms_ = now_ms();
  shown_ = true;
  fmt::print(stderr, "\r{:<79}", text.substr(0, std::min(text.size(), kColumns)));
  std::fflush(stderr);
}

void StatusLine::clear() {
  if (!shown_) return;
  shown_ = false;
  fmt::print(stderr, "\r{:79}\r", "");
  std::fflush(stderr);
}

std::string time_left(double seconds) {
  const long whole_s = std::lround(std::ceil(seconds));
  if (whole_s < 60) return fmt::format("{} s", whole_s);
  if (whole_s < 3600) return fmt::format("{} min {:02} s", whole_s / 60, whole_s % 60);
  return fmt::format("{} h {:02} min", whole_s / 3600, whole_s % 3600 / 60);
}

}  // namespace tailgate
