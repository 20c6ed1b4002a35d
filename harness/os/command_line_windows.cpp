#include "harness/os/command_line_windows.h"

#include <algorithm>
#include <map>

#include "harness/os/api_windows.h"

namespace tailgate {
namespace {

// Quotes an argument. Backslashes are special only before a quotation mark, so they are doubled
// there and at the end of a quoted argument.
std::string quoted(const std::string& argument) {
  if (!argument.empty() && argument.find_first_of(" \t\n\v\"") == std::string::npos) {
    return argument;
  }
  std::string result = "\"";
  std::size_t backslashes = 0;
  for (const char letter : argument) {
    if (letter == '"') result.append(backslashes + 1, '\\');
    backslashes = letter == '\\' ? backslashes + 1 : 0;
    result += letter;
  }
  return result.append(backslashes, '\\') + '"';
}

struct IgnoringCase {
  bool operator()(const std::wstring& a, const std::wstring& b) const {
    return CompareStringOrdinal(a.c_str(), -1, b.c_str(), -1, TRUE) == CSTR_LESS_THAN;
  }
};

}  // namespace

std::wstring command_line_of(const std::vector<std::string>& arguments) {
  std::string line;
  for (const std::string& argument : arguments) {
    if (!line.empty()) line += ' ';
    line += quoted(argument);
  }
  return wide(line);
}

std::wstring environment_with(const std::vector<std::pair<std::string, std::string>>& added) {
  std::map<std::wstring, std::wstring, IgnoringCase> variables;
  wchar_t* const own = GetEnvironmentStringsW();
  for (const wchar_t* entry = own; *entry != L'\0'; entry += std::wcslen(entry) + 1) {
    const std::wstring text(entry);
    // Some names begin with "=", such as "=C:", which holds a drive's current folder.
    const std::size_t sign = text.find(L'=', 1);
    if (sign != std::wstring::npos) variables[text.substr(0, sign)] = text.substr(sign + 1);
  }
  FreeEnvironmentStringsW(own);
  for (const auto& [name, value] : added) variables[wide(name)] = wide(value);
  std::wstring block;
  for (const auto& [name, value] : variables) block += name + L'=' + value + L'\0';
  return block + L'\0';
}

}  // namespace tailgate
