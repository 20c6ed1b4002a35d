// hyperfine's JSON: --export-json. Each of a command's times is a process of its own.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/base/error.h"
#include "harness/samples/format.h"
#include "harness/samples/json_documents.h"

namespace tailgate {
namespace {

using nlohmann::json;

void check_exit_codes(const json& result, const std::string& command, const std::string& origin) {
  for (const json& code : list_member(result, "exit_codes")) {
    if (code == 0) continue;
    throw Error(fmt::format("{}: a run of '{}' ended with exit code {}", origin, command,
                            code.is_number_integer() ? code.dump() : "unknown"),
                "correct the command; the time of a run that failed says nothing");
  }
}

void read_results(const json& document, SampleCollector& into) {
  constexpr double kNsPerS = 1e9;
  const json& results = list_member(document, "results");
  for (const json& result : results) {
    const std::string command = text_member(result, "command");
    check_exit_codes(result, command, into.origin());
    // Commands differ between the sides of a comparison, where each side has one.
    const std::string name = results.size() == 1 ? std::string() : command;
    for (const json& time : list_member(result, "times")) {
      if (time.is_number()) into.add_repetition({name, "time", "ns"}, time.get<double>() * kNsPerS);
    }
  }
}

void read_hyperfine(std::string_view text, SampleCollector& into) {
  visit_documents(text, into.origin(), [&](const json& document) { read_results(document, into); });
}

}  // namespace

constinit const SampleFormat sample_formats::hyperfine = {
    "hyperfine", "hyperfine's JSON (--export-json), each of a command's times one process",
    "run hyperfine with --runs N", read_hyperfine};

}  // namespace tailgate
