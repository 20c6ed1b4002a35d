#include "harness/cli/terminal.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <new>
#include <nlohmann/json.hpp>

#include "harness/report/human.h"

namespace tailgate {
namespace {

constexpr std::size_t kStatusColumns = kColumns - 1;
constexpr std::uint64_t kShowEveryMs = 100;

std::uint64_t now_ms() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(since).count());
}

void write_to_stderr(const std::string& text) {
  std::fputs(text.c_str(), stderr);
}

}  // namespace

bool colour_wanted(std::FILE* stream) {
  const char* no_color = std::getenv("NO_COLOR");
  return (no_color == nullptr || *no_color == '\0') && is_terminal(stream);
}

void say_lines(std::string_view lines) {
  std::cout << printable_lines(lines);
}

void say_json(const nlohmann::json& json) {
  std::cout << json_text(json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace))
            << '\n';
}

void tell_lines(std::string_view lines) noexcept {
  try {
    write_to_stderr(printable_lines(lines));
  } catch (const std::bad_alloc&) {
    write_to_stderr("tailgate: not enough memory to say more\n");
  }
}

StatusLine::StatusLine() : active_(is_terminal(stderr)) {}

void StatusLine::show(std::string_view text) {
  if (!active_ || (shown_ && now_ms() - last_ms_ < kShowEveryMs)) return;
  last_ms_ = now_ms();
  shown_ = true;
  write_to_stderr(fmt::format("\r{:<79}", first_columns(printable(text), kStatusColumns)));
  std::fflush(stderr);
}

void StatusLine::clear() {
  if (!shown_) return;
  shown_ = false;
  write_to_stderr(fmt::format("\r{:79}\r", ""));
  std::fflush(stderr);
}

}  // namespace tailgate
