#include "providers/etw/logman.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "harness/base/error.h"
#include "harness/base/testing/test_directory.h"
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

TEST_CASE("logman saves the session with all that the options ask for") {
  const TrialContext trial = context({{"buffer_bytes", "128Ki"},
                                      {"buffers_min_count", "4"},
                                      {"buffers_max_count", "32"},
                                      {"flush_timer_s", "61"},
                                      {"level", "verbose"},
                                      {"clock", "system"}});
  const std::vector<std::string> arguments = logman_create(trial, "tailgate-1");
  CHECK(has(arguments, {"create", "trace", "tailgate-1"}));
  CHECK(has(arguments, {"-p", "{" + etl::to_text(provider_guid(trial)) + "}", "0x1", "0x5"}));
  CHECK(has(arguments, {"-bs", "128"}));
  CHECK(has(arguments, {"-nb", "4", "32"}));
  CHECK(has(arguments, {"-ft", "00:01:01"}));
  CHECK(has(arguments, {"-ct", "system"}));
  CHECK(has(arguments, {"-o", trace_path(trial).string(), "--v", "-ow"}));
  CHECK_FALSE(has(arguments, {"-ets"}));  // with it some versions drop -ft and -f
  CHECK_FALSE(has(arguments, {"-f"}));
}

TEST_CASE("a provider has the GUID that the options give, and files keep the trial's") {
  const TrialContext own = context({{"keep_in", "kept"}});
  const TrialContext pinned =
      context({{"keep_in", "kept"}, {"provider_guid", "01234567-89ab-cdef-0123-456789abcdef"}});
  CHECK(etl::to_text(provider_guid(pinned)) == "01234567-89ab-cdef-0123-456789abcdef");
  CHECK(trace_path(pinned) == trace_path(own));
  CHECK_THROWS_WITH(provider_guid(context({{"provider_guid", "tailgate"}})),
                    Catch::Contains("provider_guid = 'tailgate' is no GUID"));
}

TEST_CASE("level and keyword decide whether the session enables the events") {
  CHECK(selects_events(context({}).options));
  CHECK(selects_events(context({{"keyword", "3"}}).options));
  CHECK(selects_events(context({{"keyword", "0"}}).options));
  CHECK_FALSE(selects_events(context({{"keyword", "2"}}).options));
  CHECK_FALSE(selects_events(context({{"level", "warning"}}).options));
  CHECK_FALSE(selects_events(context({{"mode", "unlistened"}}).options));
  CHECK(selects_events(context({{"processes", "program"}}).options));
  CHECK_FALSE(selects_events(context({{"processes", "others"}}).options));
}

TEST_CASE("a session has the trial's name, or the one that the options give") {
  const TrialContext own = context({});
  const std::string guid = etl::to_text(trial_guid(own));
  CHECK(session_name(own, 12, "web-1") == "tailgate-12-" + guid);
  const TrialContext named = context({{"session_name", "shop.{host}.{host}"}});
  const std::string end = guid.substr(guid.size() - 8);
  CHECK(session_name(named, 12, "web-1") == "tailgate-12-shop.web-1.web-1-" + end);
  CHECK(session_name(named, 12, "{host}") == "tailgate-12-shop.{host}.{host}-" + end);
  for (const char* wrong : {"a\\b", "a/b", "a\"b", "a\nb"}) {
    CHECK_THROWS_WITH(session_name(context({{"session_name", wrong}}), 12, "web-1"),
                      Catch::Contains("is no name that a session can have"));
  }
  const std::string too_long(201, 'a');
  CHECK_THROWS_WITH(session_name(context({{"session_name", too_long.c_str()}}), 12, ""),
                    Catch::Contains("at most 200 bytes"));
}

TEST_CASE("logman gets the size of a circular file, and no file for a real-time session") {
  const auto circular = logman_create(context({{"mode", "circular"}, {"file_bytes", "8Mi"}}), "s");
  CHECK(has(circular, {"-f", "bincirc", "-max", "8"}));
  const auto capped = logman_create(context({{"mode", "capped"}, {"file_bytes", "8Mi"}}), "s");
  CHECK(has(capped, {"-f", "bin", "-max", "8"}));
  const auto realtime = logman_create(context({{"mode", "realtime"}}), "s");
  CHECK(has(realtime, {"-rt"}));
  CHECK_FALSE(has(realtime, {"-o"}));
}

TEST_CASE("the files that a folder keeps have the time of their launch in their names") {
  const TestDirectory directory;
  TrialContext launched = context({{"keep_in", "kept"}});
  launched.directory = directory.path();
  const auto name = [&] { return trace_path(launched).filename().string(); };
  const std::string guid = etl::to_text(trial_guid(launched));
  CHECK(name() == "tailgate-" + guid + ".etl");
  note_launch(launched);
  const std::string first = name();
  CHECK_THAT(first, Catch::Matches("tailgate-20[0-9]{6}T[0-9]{6}[.][0-9]{3}-" + guid + "[.]etl"));
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  note_launch(launched);
  CHECK(first < name());
}

TEST_CASE("earlier files leave room for a file of limited size") {
  const auto kept = [](const char* mode) {
    return kept_before(
        context({{"mode", mode}, {"keep_bytes", "384Mi"}, {"file_bytes", "128Mi"}}).options);
  };
  CHECK(kept("circular") == 256 << 20);
  CHECK(kept("capped") == 256 << 20);
  CHECK(kept("file") == 384 << 20);
  CHECK(kept_before(context({{"mode", "circular"}, {"keep_bytes", "0"}}).options) == 0);
}

TEST_CASE("the saved sessions of dead processes are found in what logman lists") {
  const std::string listed =
      "\r\nData Collector Set                      Type                          Status\r\n"
      "-------------------------------------------------------------------------------\r\n"
      "tailgate-12-aa                          Trace                         Stopped\r\n"
      "tailgate-34-bb                          Trace                         Running\r\n"
      "Server Manager Performance Monitor      Counter                       Stopped\r\n"
      "\r\nThe command completed successfully.\r\n";
  const auto dead = dead_collectors(
      listed, [](const std::string& name) { return name.starts_with("tailgate-12-"); });
  CHECK(dead == std::vector<std::string>{"tailgate-12-aa"});
  CHECK(dead_collectors("", [](const std::string&) { return false; }).empty());
}

TEST_CASE("options without a counterpart in logman are refused by name") {
  for (const auto& [option, value] : {std::pair{"mode", "memory"},
                                      {"mode", "private"},
                                      {"compressed", "true"},
                                      {"stack", "true"},
                                      {"processes", "program"}}) {
    CHECK_THROWS_WITH(check_logman_can(context({{option, value}}).options),
                      Catch::Contains(std::string(option) + "=" + value));
  }
  CHECK_NOTHROW(check_logman_can(context({{"mode", "circular"}}).options));
}

}  // namespace
}  // namespace tailgate::etw
