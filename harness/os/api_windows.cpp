#include "harness/os/api_windows.h"

#include <fmt/format.h>

namespace tailgate {

Error windows_error(const std::string& call, const std::string& target, DWORD code,
                    const std::string& remedy) {
  wchar_t text[512] = {};
  const DWORD length =
      FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, nullptr, code, 0,
                     text, static_cast<DWORD>(std::size(text)), nullptr);
  std::string message = narrow(std::wstring_view(text, length));
  while (!message.empty() && (message.back() == '\n' || message.back() == '\r')) message.pop_back();
  if (message.empty()) message = "no text known";
  return Error(fmt::format("{}('{}') failed: {} (Windows error {})", call, target, message, code),
               remedy);
}

std::wstring wide(std::string_view text) {
  const int bytes = static_cast<int>(text.size());
  const int length = MultiByteToWideChar(CP_UTF8, 0, text.data(), bytes, nullptr, 0);
  std::wstring result(static_cast<std::size_t>(length), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, text.data(), bytes, result.data(), length);
  return result;
}

std::string narrow(std::wstring_view text) {
  const int units = static_cast<int>(text.size());
  const int length =
      WideCharToMultiByte(CP_UTF8, 0, text.data(), units, nullptr, 0, nullptr, nullptr);
  std::string result(static_cast<std::size_t>(length), '\0');
  WideCharToMultiByte(CP_UTF8, 0, text.data(), units, result.data(), length, nullptr, nullptr);
  return result;
}

}  // namespace tailgate
