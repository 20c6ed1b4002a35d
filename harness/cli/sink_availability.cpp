#include "harness/cli/sink_availability.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <system_error>

#include "harness/base/error.h"
#include "harness/base/file_text.h"
#include "harness/os/process.h"

namespace tailgate {

namespace fs = std::filesystem;

std::optional<std::string> why_without(const fs::path& program, const std::string& sink,
                                       const fs::path& output) {
  std::error_code ignored;
  fs::remove(output, ignored);
  Child child = Child::start({.program = program,
                              .arguments = {"sinks", sink, "--json"},
                              .environment = {},
                              .inherited = {},
                              .output = output});
  constexpr std::chrono::seconds kPatience{20};
  const std::optional<ChildEnd> end = child.wait_for(kPatience);
  const auto answer = nlohmann::json::parse(file_text(output), nullptr, false);
  const bool answered = end && end->exited && answer.is_array() && !answer.empty() &&
                        answer[0].is_object() && answer[0].contains("available");
  if (!answered) return "it knows no such sink";
  if (answer[0].value("available", false)) return {};
  return "it is not available: " + answer[0].value("reason", "for no stated reason");
}

std::optional<std::string> why_not_loaded(const SinkCatalog& sinks, const std::string& sink) {
  try {
    const SinkChoice choice = sinks.choice(sink);
    const Probe probe = choice.type->probe(choice.options);
    if (probe.available) return {};
    return probe.reason;
  } catch (const Error& error) {
    return error.what_failed();
  }
}

}  // namespace tailgate
