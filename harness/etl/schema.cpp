#include "harness/etl/schema.h"

#include <algorithm>
#include <array>

namespace tailgate::etl {

std::string_view ValueMap::find(std::uint32_t value) const {
  auto at = std::lower_bound(
      entries.begin(), entries.end(), value,
      [](const auto& entry, std::uint32_t wanted) { return entry.first < wanted; });
  return at != entries.end() && at->first == value ? at->second.view() : std::string_view();
}

std::string_view source_name(SchemaSource source) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "tracelogging",  "event_source_manifest", "event_info",
      "manifest_file", "kernel_layout",         "tmf",
      "string_only"};
  return kNames[static_cast<std::size_t>(source)];
}

}  // namespace tailgate::etl
