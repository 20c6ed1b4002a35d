#include "providers/syslog/impstats.h"

#include <nlohmann/json.hpp>
#include <string>

#include "harness/base/file_text.h"

namespace tailgate::syslog {
namespace {

using Json = nlohmann::json;

std::uint64_t counter(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

bool is(const Json& object, const char* name, const char* value) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() && *found == value;
}

}  // namespace

void take_statistics_line(std::string_view line, QueueAccount& account) {
  // "Sat Nov 21 15:13:06 2026: { … }"
  const std::size_t begin = line.find('{');
  if (begin == std::string_view::npos) return;
  const Json object = Json::parse(line.substr(begin), nullptr, false);
  if (!object.is_object()) return;
  if (is(object, "origin", "imuxsock")) account.submitted = counter(object, "submitted");
  if (!is(object, "name", "events") || !is(object, "origin", "core.queue")) return;
  account.size = counter(object, "size");
  account.discarded_full = counter(object, "discarded.full");
  account.discarded_near_full = counter(object, "discarded.nf");
  ++account.accounts;
}

QueueAccount read_statistics(const std::filesystem::path& file) {
  const std::string text = file_text(file);
  QueueAccount account;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    take_statistics_line(std::string_view(text).substr(begin, end - begin), account);
    begin = end + 1;
  }
  return account;
}

}  // namespace tailgate::syslog
