#include "harness/sink/unknown_sink.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/options.h"

namespace tailgate {

Error unknown_sink(std::string_view name, const std::vector<std::string>& known) {
  const std::string near = nearest_name(name, known);
  return {
      fmt::format("there is no sink '{}'", name),
      fmt::format("{}known sinks: {}", near.empty() ? "" : fmt::format("did you mean '{}'? ", near),
                  fmt::join(known, ", "))};
}

}  // namespace tailgate
