#include "providers/etw/logman.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "harness/os/api_windows.h"
#include "harness/os/process.h"

namespace tailgate::etw {
namespace {

std::filesystem::path logman_path() {
  const char* named = std::getenv(kLogmanVariable);
  if (named != nullptr && *named != '\0') return named;
  wchar_t folder[MAX_PATH] = {};
  GetSystemDirectoryW(folder, MAX_PATH);
  return std::filesystem::path(folder) / "logman.exe";
}

// The beginning of logman's output, on one line.
std::string said(const std::string& output) {
  constexpr std::size_t kMaxBytes = 500;
  std::istringstream words(output);
  std::string text;
  for (std::string word; text.size() < kMaxBytes && words >> word;) {
    text += (text.empty() ? "" : " ") + word;
  }
  return text.empty() ? "nothing" : text;
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::string run_logman(const std::vector<std::string>& arguments, std::chrono::seconds limit,
                       const std::filesystem::path& output) {
  const std::string call = fmt::format("logman {}", fmt::join(arguments, " "));
  std::error_code ignored;
  std::filesystem::remove(output, ignored);
  Child child = Child::start({.program = logman_path(),
                              .arguments = arguments,
                              .environment = {},
                              .inherited = {},
                              .output = output});
  const std::optional<ChildEnd> end = child.wait_for(limit);
  if (!end) {
    child.kill();
    throw Error(fmt::format("'{}' had not ended after {} s", call, limit.count()),
                "raise logman_timeout_s, or use controller=api");
  }
  std::string text = content_of(output);
  if (end->exited && end->code == 0) return text;
  throw Error(fmt::format("'{}' ended by {}; it said: {}", call, end->text(), said(text)),
              "sessions need an elevated prompt or the group Performance Log Users; "
              "controller=api tells more exactly what is wrong");
}

}  // namespace tailgate::etw
