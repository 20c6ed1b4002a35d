#include "providers/etw/logman.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "harness/base/error.h"
#include "providers/etw/options.h"

namespace tailgate::etw {
namespace {

TrialContext context(std::initializer_list<std::pair<const char*, const char*>> given) {
  Options options(etw::options(), "sink 'etw'");
  for (const auto& [name, value] : given) options.set(name, value);
  return {.options = options, .directory = "folder"};
}

bool has(const std::vector<std::string>& arguments, std::vector<std::string> part) {
  return std::search(arguments.begin(), arguments.end(), part.begin(), part.end()) !=
         arguments.end();
}

TEST_CASE("one call of logman starts the session and enables the provider") {
  const TrialContext trial = context({{"buffer_bytes", "128Ki"},
                                      {"buffers_min_count", "4"},
                                      {"buffers_max_count", "32"},
                                      {"flush_timer_s", "61"},
                                      {"level", "verbose"},
                                      {"clock", "system"}});
  const std::vector<std::string> arguments = logman_start(trial, "tailgate-1");
  CHECK(has(arguments, {"start", "tailgate-1", "-ets"}));
  CHECK(has(arguments, {"-p", "{" + etl::to_text(provider_guid(trial)) + "}", "0x1", "0x5"}));
  CHECK(has(arguments, {"-bs", "128"}));
  CHECK(has(arguments, {"-nb", "4", "32"}));
  CHECK(has(arguments, {"-ft", "00:01:01"}));
  CHECK(has(arguments, {"-ct", "system"}));
  CHECK(has(arguments, {"-o", trace_path(trial).string()}));
  CHECK_FALSE(has(arguments, {"-f"}));
}

TEST_CASE("logman gets the size of a circular file, and no file for a real-time session") {
  const auto circular = logman_start(context({{"mode", "circular"}, {"file_bytes", "8Mi"}}), "s");
  CHECK(has(circular, {"-f", "bincirc", "-max", "8"}));
  const auto realtime = logman_start(context({{"mode", "realtime"}}), "s");
  CHECK(has(realtime, {"-rt"}));
  CHECK_FALSE(has(realtime, {"-o"}));
}

TEST_CASE("options without a counterpart in logman are refused by name") {
  for (const auto& [option, value] : {std::pair{"mode", "memory"},
                                      {"mode", "private"},
                                      {"compressed", "true"},
                                      {"stack", "true"}}) {
    CHECK_THROWS_WITH(check_logman_can(context({{option, value}}).options),
                      Catch::Contains(std::string(option) + "=" + value));
  }
  CHECK_NOTHROW(check_logman_can(context({{"mode", "circular"}}).options));
}

}  // namespace
}  // namespace tailgate::etw
