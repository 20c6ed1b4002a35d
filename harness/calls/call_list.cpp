#include "harness/calls/call_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/base/error.h"
#include "harness/calls/include/tailgate/mark.h"
#include "harness/calls/wrapped_functions.h"

namespace tailgate {
namespace {

constexpr const char* kRemedy =
    "write names of functions by commas, as write,fsync or libfoo.so:log_write, those of C++ as nm "
    "prints them; or mark, or none";
constexpr std::size_t kMaxCallNameBytes = 200;

#define TAILGATE_NAME_OF(name) #name,
constexpr std::array kWrapped = {TAILGATE_WRAPPED_FUNCTIONS(TAILGATE_NAME_OF)};
#undef TAILGATE_NAME_OF

bool is_wrapped(const CalledFunction& function) {
  return function.library.empty() &&
         std::find(kWrapped.begin(), kWrapped.end(), function.name) != kWrapped.end();
}

bool consists_of(std::string_view text, std::string_view others) {
  return std::all_of(text.begin(), text.end(), [others](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || others.find(letter) != std::string_view::npos;
  });
}

CalledFunction parse_function(std::string_view text, std::string_view all) {
  const std::size_t colon = text.rfind(':');
  const bool has_library = colon != std::string_view::npos;
  CalledFunction function{std::string(has_library ? text.substr(0, colon) : ""),
                          std::string(has_library ? text.substr(colon + 1) : text)};
  const bool valid = !function.name.empty() && text.size() <= kMaxCallNameBytes &&
                     consists_of(function.name, "_$.") && has_library != function.library.empty() &&
                     consists_of(function.library, "_.+-");
  if (!valid) {
    throw Error(fmt::format("--calls '{}': '{}' names no function", all, text), kRemedy);
  }
  return function;
}

}  // namespace

std::string_view means_name(CallMeans means) {
  switch (means) {
    case CallMeans::none:
      return "none";
    case CallMeans::mark:
      return "mark";
    case CallMeans::preload:
      return "preload";
    case CallMeans::audit:
      return "audit";
    case CallMeans::uprobe:
      break;
  }
  return "uprobe";
}

CallList parse_call_list(std::string_view text) {
  if (text == "mark") return {CallMeans::mark, {}};
  if (text == "none") return {CallMeans::none, {}};
  CallList list{CallMeans::preload, {}};
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    CalledFunction function = parse_function(text.substr(at, comma - at), text);
    const bool twice =
        std::find(list.functions.begin(), list.functions.end(), function) != list.functions.end();
    if (twice) {
      throw Error(fmt::format("--calls '{}' names '{}' twice", text, function.text()),
                  "name each function once");
    }
    if (function.library.empty() && (function.name == "mark" || function.name == "none")) {
      throw Error(fmt::format("--calls '{}': '{}' stands alone", text, function.name), kRemedy);
    }
    if (!is_wrapped(function)) list.means = CallMeans::audit;
    list.functions.push_back(std::move(function));
    at = comma + 1;
  }
  if (list.functions.size() > TAILGATE_MARK_KINDS) {
    throw Error(fmt::format("--calls names {} functions", list.functions.size()),
                fmt::format("name {} at most", TAILGATE_MARK_KINDS));
  }
  return list;
}

std::string functions_text(const CallList& calls) {
  std::string text;
  for (const CalledFunction& function : calls.functions) {
    text += (text.empty() ? "" : ",") + function.text();
  }
  return text;
}

}  // namespace tailgate
