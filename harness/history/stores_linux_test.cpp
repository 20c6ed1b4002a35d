// Tests of both stores: the same cases for each, and what only one of them can suffer.
#include <catch2/catch.hpp>

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/testing/test_directory.h"
#include "harness/history/charts.h"
#include "harness/history/dates.h"
#include "harness/history/findings.h"
#include "harness/history/history.h"
#include "harness/history/read_records.h"
#include "harness/history/testing/postgresql_server.h"
#include "harness/history/testing/sample_night.h"
#include "harness/history/testing/store_cases.h"
#include "harness/result/files.h"
#include "harness/result/json.h"

namespace tailgate::history {
namespace {

Record run_of(int number) {
  const SampleRun sample = {.id = "run" + std::to_string(number),
                            .seed = static_cast<std::uint64_t>(number)};
  return read_records(write_result(sample_run(sample)), "run.json").at(0);
}

Error failure_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  FAIL("nothing failed");
  return Error("", "");
}

bool says(const Error& error, const std::string& part) {
  INFO(error.what_failed());
  return error.what_failed().find(part) != std::string::npos;
}

// Runs `write` in a process of its own.
pid_t start_writer(const std::function<void()>& write) {
  const pid_t writer = fork();
  REQUIRE(writer >= 0);
  if (writer == 0) {
    try {
      write();
    } catch (const std::exception&) {
      _exit(1);
    }
    _exit(0);
  }
  return writer;
}

// Makes the tables and documents of a history that this version wrote, out of SQLite's dump of one.
void restore_version(int version, const std::string& place) {
  const auto database =
      is_server(place) ? open_postgresql(place, Access::write) : open_sqlite(place, Access::write);
  const std::vector<std::pair<std::regex, std::string>> in_postgresql = {
      {std::regex("id INTEGER PRIMARY KEY"), "id {identity}"},
      {std::regex(" WITHOUT ROWID"), ""},
      {std::regex("X'([0-9a-f]*)'"), "'\\x$1'"}};
  std::ifstream file(fmt::format("{}/v{}.sql", TAILGATE_HISTORY_TESTDATA, version));
  REQUIRE(file);
  std::string statement;
  for (std::string line; std::getline(file, line);) {
    statement += line + "\n";
    if (!statement.ends_with(";\n")) continue;
    if (is_server(place)) {
      for (const auto& [pattern, text] : in_postgresql) {
        statement = std::regex_replace(statement, pattern, text);
      }
      if (statement.starts_with("CREATE")) statement = database->in_dialect(statement);
    }
    database->run(statement);
    statement.clear();
  }
  if (!is_server(place)) return;
  for (const char* table : {"documents", "series"}) {
    database->run("SELECT setval(pg_get_serial_sequence('" + std::string(table) +
                  "', 'id'), max(id)) FROM " + table);
  }
}

// The document is results/fixtures/v6-steady@file_mode-mmap@quick.json, of machine m7.
void reads_version(int version, const std::string& place) {
  restore_version(version, place);
  CHECK(says(failure_of([&] { History::open(place, Access::read); }),
             fmt::format("has version {}", version)));
  History history = History::open(place, Access::write);
  const Result fixture =
      load_result(std::string(TAILGATE_FIXTURES) + "/v6-steady@file_mode-mmap@quick.json");
  std::vector<Record> documents = history.list({.machine = "m7"});
  REQUIRE(documents.size() == 1);
  CHECK(documents[0].id == fixture.id);
  CHECK(documents[0].environment.empty() == (version == 1));
  CHECK(documents[0].reference.empty());
  CHECK(findings(history, {}).empty());
  const auto p99_9 = history.query({"response_ns_p99.9"});
  REQUIRE(p99_9.size() == 1);
  CHECK(p99_9[0].value == static_cast<double>(fixture.summary[0].response.p99_9_ns));
  const auto rate = history.query({"achieved_rate_hz"});
  REQUIRE(rate.size() == 1);
  CHECK(rate[0].value == fixture.summary[0].achieved_rate_hz);
  CHECK(history.append(run_of(1)) == Appended::added);
  documents = History::open(place, Access::read).list({});
  REQUIRE(documents.size() == 2);
  CHECK(documents[1].environment.find("kernel=") != std::string::npos);
}

constexpr int kRuns = 40;  // of each writer

// Appends its runs, and is killed in the middle of one: after it wrote part of that.
void write_until_killed(const std::string& place) {
  History history = History::open(place, Access::write);
  for (int run = 0; run < kRuns / 2; ++run) history.append(run_of(run));
  const Transaction never_committed(history.database());
  history.database().run(
      "INSERT INTO documents (kind, document_id, hash, progress, night, started_ms, machine,"
      " fingerprint, outcome, label, revision, version, scenario, preset, sink) VALUES ('result',"
      " 'half', '', 0, '2026-11-01', 0, '', '', '', '', '', '', '', '', '')");
  history.database().run("INSERT INTO figures (series, document, value) VALUES (1, 1000, 1.5)");
  ::kill(getpid(), SIGKILL);
}

// Every document must be whole: as many values as any other.
void check_whole(History& history, std::size_t documents) {
  CHECK(history.list({}).size() == documents);
  for (const char* table : {"figures", "distributions"}) {
    std::set<std::int64_t> counts;
    const auto rows = history.database().run("SELECT document, count(*) FROM " +
                                             std::string(table) + " GROUP BY document");
    CHECK(rows.size() == documents);
    for (const Row& row : rows) counts.insert(std::get<std::int64_t>(row[1]));
    CHECK(counts.size() == 1);
  }
}

void survives_a_killed_writer(const std::string& place) {
  History::open(place, Access::write);
  const pid_t killed = start_writer([&] { write_until_killed(place); });
  const pid_t other = start_writer([&] {
    History history = History::open(place, Access::write);
    for (int run = kRuns; run < 2 * kRuns; ++run) history.append(run_of(run));
  });
  int status = 0;
  REQUIRE(waitpid(killed, &status, 0) == killed);
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
  REQUIRE(waitpid(other, &status, 0) == other);
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
  History history = History::open(place, Access::write);
  check_whole(history, kRuns / 2 + kRuns);
  // What the killed writer did not get to is appended again, with what it did.
  for (int run = 0; run < kRuns; ++run) {
    CHECK(history.append(run_of(run)) == (run < kRuns / 2 ? Appended::present : Appended::added));
  }
  check_whole(history, 2 * kRuns);
}

constexpr int kMachinesAtOnce = 8;
constexpr int kNightsOfMachine = 10;

// A machine's duet of a night, in which from the seventh on one part has grown on all machines.
Record duet_of(int machine, int night) {
  Record record;
  record.kind = Kind::duet;
  record.id = fmt::format("m{} night {}", machine, night);
  record.hash = record.id;
  record.night = date_of(1793491200000 + night * 24LL * 60 * 60 * 1000);
  record.started_ms = machine;
  record.machine = fmt::format("m{}", machine);
  record.fingerprint = "f";
  record.scenario = "steady";
  record.sink = "file";
  record.reference = "reference";
  for (const char* metric : {"response_ns_p99", "call_ns_traced", "call_ns_in_own_code"}) {
    record.figures.push_back(
        {{Kind::duet, "steady", "", "file", "max", "effect", metric, "ln ratio"},
         0.001 * ((machine * 7 + night * 3) % 5) + (night < 7 ? 0 : 0.1)});
  }
  record.figures.push_back(
      {{Kind::duet, "steady", "", "file", "max", "b", "cpu_ns_per_event", "ns"}, 1000.0 + machine});
  return record;
}

// Appends a machine's nights, each charted by itself. written: a pipe that takes a byte for each
// append that returned.
void write_nights(const std::string& place, int machine, int nights, int written) {
  History history = History::open(place, Access::write);
  for (int night = 0; night < nights; ++night) {
    history.append(duet_of(machine, night));
    if (::write(written, "n", 1) != 1) _exit(2);
    update_charts(history);
    update_fleet(history);
  }
}

std::vector<Row> charts_in(History& history) {
  return history.database().run(
      "SELECT metric, fingerprint, reference, night, state FROM charts JOIN series"
      " ON series.id = charts.series ORDER BY metric");
}

std::vector<Row> machine_nights_in(History& history) {
  return history.database().run(
      "SELECT night, machine, series.metric, fingerprint, value FROM machine_nights JOIN series"
      " ON series.id = series ORDER BY night, machine, series.metric");
}

// How many nights the killed machine's writer wrote before, as far as it said so.
int kill_while_writing(pid_t writer, int written) {
  char byte = 0;
  int nights = 0;
  while (nights < 4 && ::read(written, &byte, 1) == 1) ++nights;
  ::kill(writer, SIGKILL);
  int status = 0;
  REQUIRE(waitpid(writer, &status, 0) == writer);
  REQUIRE((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
  while (::read(written, &byte, 1) == 1) ++nights;
  return nights;
}

// Machines of a fleet write at once, and one of them is killed while it does. Another program then
// writes what is missing of it. All is as if one program had written it, night by night.
void survives_a_killed_machine(const std::string& place, const std::string& other_place) {
  constexpr int kEndless = 1000;
  History::open(place, Access::write);
  int of_killed[2];
  int of_others[2];
  REQUIRE(::pipe(of_killed) == 0);
  REQUIRE(::pipe(of_others) == 0);
  const pid_t killed = start_writer([&] { write_nights(place, 0, kEndless, of_killed[1]); });
  std::vector<pid_t> writers;
  for (int machine = 1; machine < kMachinesAtOnce; ++machine) {
    writers.push_back(
        start_writer([&] { write_nights(place, machine, kNightsOfMachine, of_others[1]); }));
  }
  ::close(of_killed[1]);
  const int said = kill_while_writing(killed, of_killed[0]);
  for (const pid_t writer : writers) {
    int status = 0;
    REQUIRE(waitpid(writer, &status, 0) == writer);
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
  }
  History history = History::open(place, Access::write);
  const auto there = static_cast<int>(history.list({.machine = "m0"}).size());
  CHECK((there == said || there == said + 1));
  const int nights = std::max(there, kNightsOfMachine);
  for (int night = 0; night < nights; ++night) {
    CHECK(history.append(duet_of(0, night)) ==
          (night < there ? Appended::present : Appended::added));
  }
  update_charts(history);
  update_fleet(history);
  const std::size_t documents =
      static_cast<std::size_t>(nights + (kMachinesAtOnce - 1) * kNightsOfMachine);
  CHECK(history.list({}).size() == documents);
  CHECK(history.query({"*"}).size() == 4 * documents);
  CHECK(history.database().run("SELECT id FROM chart_queue").empty());
  History alone = History::open(other_place, Access::write);
  for (int night = 0; night < nights; ++night) {
    for (int machine = 0; machine < kMachinesAtOnce; ++machine) {
      if (machine == 0 || night < kNightsOfMachine) alone.append(duet_of(machine, night));
    }
    update_charts(alone);
  }
  update_fleet(alone);
  CHECK(charts_in(history) == charts_in(alone));
  CHECK_FALSE(machine_nights_in(alone).empty());
  CHECK(machine_nights_in(history) == machine_nights_in(alone));
  for (const int end : {of_killed[0], of_others[0], of_others[1]}) ::close(end);
}

void migrates_at_once(const std::string& place) {
  const pid_t one = start_writer([&] { History::open(place, Access::write); });
  const pid_t other = start_writer([&] { History::open(place, Access::write); });
  for (const pid_t writer : {one, other}) {
    int status = 0;
    REQUIRE(waitpid(writer, &status, 0) == writer);
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
  }
  History::open(place, Access::read);
}

}  // namespace

TEST_CASE("SQLite holds a history") {
  const TestDirectory directory;
  const std::string place = directory / "history.sqlite";
  for (const auto& cases : {store_cases(), chart_cases(), part_cases()}) {
    for (const StoreCase& one : cases) {
      DYNAMIC_SECTION(one.name) {
        one.check(place);
      }
    }
  }
}

TEST_CASE("of two writers of a file one is killed, and nothing is lost or twice") {
  const TestDirectory directory;
  survives_a_killed_writer(directory / "history.sqlite");
}

TEST_CASE("of eight machines' writers of a file one is killed, and nothing is lost or twice") {
  const TestDirectory directory;
  survives_a_killed_machine(directory / "history.sqlite", directory / "alone.sqlite");
}

TEST_CASE("files of older versions are brought up to date") {
  for (const int version : {1, 2, 3}) {
    const TestDirectory directory;
    reads_version(version, directory / "history.sqlite");
  }
}

TEST_CASE("two programs may make one file") {
  const TestDirectory directory;
  migrates_at_once(directory / "history.sqlite");
}

TEST_CASE("a file that another program locks is waited for") {
  const TestDirectory directory;
  const std::string place = directory / "history.sqlite";
  History holder = History::open(place, Access::write);
  History waiting(open_sqlite(place, Access::write, std::chrono::milliseconds(50)), Access::write);
  {
    const Transaction held(holder.database());
    CHECK(says(failure_of([&] { waiting.append(run_of(1)); }), "is locked"));
  }
  CHECK(waiting.append(run_of(1)) == Appended::added);
}

TEST_CASE("a file that cannot grow keeps what it has") {
  const TestDirectory directory;
  History history = History::open(directory / "history.sqlite", Access::write);
  history.append(run_of(0));
  history.database().run("PRAGMA max_page_count = 1");  // SQLite makes that the present size
  const Error full = failure_of([&] {
    for (int run = 1; run < 100; ++run) history.append(run_of(run));
  });
  CHECK(says(full, "disk is full"));
  history.database().run("PRAGMA max_page_count = 1000000");
  const std::size_t kept = history.list({}).size();
  check_whole(history, kept);
  CHECK(history.append(run_of(100)) == Appended::added);
}

TEST_CASE("a file of something else, or a damaged one, is named as such") {
  const TestDirectory directory;
  const std::string text = directory / "notes.txt";
  std::ofstream(text) << std::string(5000, 'x');
  CHECK(says(failure_of([&] { History::open(text, Access::write); }), "no SQLite database"));
  const std::string place = directory / "history.sqlite";
  History::open(place, Access::write).append(run_of(0));
  {
    std::fstream file(place, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(2000);  // within the first page, which lists the tables
    file << std::string(60'000, 'x');
  }
  const Error damaged = failure_of([&] { History::open(place, Access::write).list({}); });
  CHECK(says(damaged, place));
  CHECK(says(failure_of([&] { History::open(directory / "no/such/file", Access::write); }),
             "cannot be opened"));
  CHECK(says(failure_of([&] { History::open(directory / "none", Access::read); }),
             "there is no history"));
}

TEST_CASE("PostgreSQL holds a history") {
  if (const std::string missing = PostgresqlServer::missing(); !missing.empty()) {
    WARN("skipped: " << missing);
    return;
  }
  static PostgresqlServer* const server = new PostgresqlServer;  // one for all sections
  static const struct End {
    ~End() { delete server; }
  } end;
  const std::string place = server->make_database();
  for (const auto& cases : {store_cases(), chart_cases(), part_cases()}) {
    for (const StoreCase& one : cases) {
      DYNAMIC_SECTION(one.name) {
        one.check(place);
      }
    }
  }
  SECTION("of two writers one is killed, and nothing is lost or twice") {
    survives_a_killed_writer(place);
  }
  SECTION("of eight machines one is killed while it writes, and nothing is lost or twice") {
    const TestDirectory directory;
    survives_a_killed_machine(place, directory / "alone.sqlite");
  }
  SECTION("a history of version 1 is brought up to date") {
    reads_version(1, place);
  }
  SECTION("a history of version 2 is brought up to date") {
    reads_version(2, place);
  }
  SECTION("a history of version 3 is brought up to date") {
    reads_version(3, place);
  }
  SECTION("two programs may make one history") {
    migrates_at_once(place);
  }
  SECTION("a server that goes away loses no document that was on its disk") {
    History history = History::open(place, Access::write);
    history.append(run_of(0));
    history.sync();
    server->stop();
    CHECK_THROWS_AS(history.append(run_of(1)), UnreachableError);
    CHECK_THROWS_AS(History::open(place, Access::write), UnreachableError);
    server->start();
    History again = History::open(place, Access::write);
    CHECK(again.append(run_of(0)) == Appended::present);
    CHECK(again.append(run_of(1)) == Appended::added);
    check_whole(again, 2);
  }
}

TEST_CASE("an address is refused without showing its password") {
  if (!PostgresqlServer::missing().empty()) return;
  const Error error = failure_of([] {
    History::open("postgresql://me:secret@localhost:1/nights?connect_timeout=1", Access::read);
  });
  CHECK(says(error, "postgresql://localhost:1/nights"));
  CHECK_FALSE(says(error, "secret"));
  CHECK(says(failure_of([] { History::open("postgresql://host:x:y/?z", Access::read); }), "URL"));
}

}  // namespace tailgate::history
