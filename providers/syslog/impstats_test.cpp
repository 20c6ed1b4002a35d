#include "providers/syslog/impstats.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <string>

#include "harness/base/testing/test_directory.h"

namespace tailgate::syslog {
namespace {

// Written by rsyslogd 8.2302.
const std::string kAccount =
    R"(Sat Nov 21 15:13:06 2026: { "name": "global", "origin": "dynstats", )"
    R"("values": { } })"
    "\n"
    R"(Sat Nov 21 15:13:06 2026: { "name": "imuxsock", "origin": "imuxsock", )"
    R"("submitted": 20000, "ratelimit.discarded": 0, )"
    R"("ratelimit.numratelimiters": 0 })"
    "\n"
    R"(Sat Nov 21 15:13:06 2026: { "name": "file", "origin": "core.action", )"
    R"("processed": 19729, "failed": 9658, "suspended": 0, "suspended.duration": )"
    R"(0, "resumed": 0 })"
    "\n"
    R"(Sat Nov 21 15:13:06 2026: { "name": "events", "origin": "core.queue", )"
    R"("size": 7, "enqueued": 20000, "full": 271, "discarded.full": 271, )"
    R"("discarded.nf": 3, "maxqsize": 1000 })"
    "\n"
    R"(Sat Nov 21 15:13:06 2026: { "name": "main Q", "origin": "core.queue", )"
    R"("size": 0, "enqueued": 499, "full": 0, "discarded.full": 5, )"
    R"("discarded.nf": 0, "maxqsize": 147 })"
    "\n";

TEST_CASE("a report of rsyslogd is read from its lines") {
  const TestDirectory directory;
  const std::filesystem::path file = directory.path() / "statistics";
  std::ofstream(file) << kAccount;
  const QueueAccount account = read_statistics(file);
  CHECK(account == QueueAccount{.accounts = 1,
                                .submitted = 20000,
                                .size = 7,
                                .discarded_full = 271,
                                .discarded_near_full = 3});
}

TEST_CASE("the last complete report counts, a half-written line does not") {
  const TestDirectory directory;
  const std::filesystem::path file = directory.path() / "statistics";
  CHECK(read_statistics(file) == QueueAccount{});
  const std::string later =
      R"(Sat Nov 21 15:13:07 2026: { "name": "events", "origin": "core.queue", )"
      R"("size": 0, "discarded.full": 300 })";
  std::ofstream(file) << kAccount << later;
  CHECK(read_statistics(file).discarded_full == 271);
  std::ofstream(file, std::ios::app) << '\n';
  CHECK(read_statistics(file).discarded_full == 300);
  CHECK(read_statistics(file).accounts == 2);
}

TEST_CASE("lines that are not statistics change nothing") {
  for (const char* line :
       {"", "{", "}", "Sat Nov 21 15:13:06 2026:", "Sat: { \"name\": \"events\" }", "x: []",
        "x: { \"name\": 5, \"origin\": [], \"size\": 1 }",
        "x: { \"name\": \"events\", \"origin\": "}) {
    INFO(line);
    QueueAccount account;
    take_statistics_line(line, account);
    CHECK(account == QueueAccount{});
  }
  QueueAccount account;
  take_statistics_line(
      R"(x: { "name": "events", "origin": "core.queue", "size": -1, "discarded.full": "9" })",
      account);
  CHECK(account == QueueAccount{.accounts = 1});
}

}  // namespace
}  // namespace tailgate::syslog
