// Whole trials that make journald lose events; the ledger must balance in each.
#include <catch2/catch.hpp>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <map>

#include "harness/base/log_lines.h"
#include "harness/os/namespaces_linux.h"
#include "providers/journald/cursor.h"
#include "providers/journald/journal_reader.h"
#include "providers/journald/places.h"
#include "providers/journald/session.h"
#include "providers/shared/daemon/local_datagrams.h"
#include "providers/testing/sinks.h"
#include "providers/testing/stress_trial.h"

namespace tailgate {
namespace {

constexpr const char* kDaemon = "systemd-journal";
constexpr const char* kHolder = "tailgate-holder";
constexpr const char* kNeverStored = "never stored by journald";
constexpr const char* kVacuumed = "vacuumed from the journal";

bool available() {
  const SinkChoice choice = sink_choice("journald");
  const Probe probe = choice.type->probe(choice.options);
  if (!probe.available) WARN("skipped: " << probe.reason << "; " << probe.remedy);
  return probe.available;
}

// More bytes than small journals hold, in few events: a busy machine emits few.
LoadPlan nine_megabytes() {
  LoadPlan load = stress_load(1000, 0);
  load.events = 300;
  load.payload = parse_payload("30000");
  return load;
}

void signal_daemon(int number) {
  const int pid = child_named(kDaemon);
  REQUIRE(pid > 0);
  kill(pid, number);
}

TEST_CASE("at full load a blocking journal loses nothing, in either storage") {
  if (!available()) return;
  for (const char* sink : {"journald", "journald:storage=volatile:mode=sd_journal_send"}) {
    const Trial trial = run_stress(sink, stress_load(200'000, 0.5));
    INFO(sink << ": " << describe(trial));
    CHECK(trial.outcome == TrialOutcome::completed);
    CHECK(trial.rate_missed);
    CHECK(balanced(trial.ledger));
    CHECK(trial.ledger.lost == 0);
    CHECK(trial.consumer.mode == ConsumerMode::live);
    REQUIRE(trial.consumer.delivery.has_value());
    CHECK(trial.consumer.delivery->count == trial.ledger.delivered);
  }
}

TEST_CASE("at full load a non-blocking journal refuses events and stores the others") {
  if (!available()) return;
  const Trial trial = run_stress("journald:blocking=false", stress_load(200'000, 0.3));
  INFO(describe(trial));
  CHECK(balanced(trial.ledger));
  CHECK(lost_to(trial.ledger, "EAGAIN") > 0);
  CHECK(lost_to(trial.ledger, "EAGAIN") == trial.ledger.lost);
}

TEST_CASE("events that a full journal vacuums before they are read are counted exactly") {
  if (!available()) return;
  for (const char* storage : {"volatile", "persistent"}) {
    const Trial trial = run_stress(
        "journald:compress_above_bytes=0:max_use_bytes=2Mi:max_file_bytes=512Ki:storage=" +
            std::string(storage),
        nine_megabytes(), ConsumerMode::after);
    INFO(describe(trial));
    CHECK(trial.outcome == TrialOutcome::completed);
    CHECK(balanced(trial.ledger));
    CHECK(lost_to(trial.ledger, kVacuumed) > 0);
    CHECK(lost_to(trial.ledger, kNeverStored) == 0);
    CHECK(trial.ledger.delivered > 0);
  }
}

TEST_CASE("the ledger balances when a journal is vacuumed while it is read live") {
  if (!available()) return;
  LoadPlan load = nine_megabytes();
  load.events = 1000;
  const Trial trial =
      run_stress("journald:compress_above_bytes=0:max_use_bytes=2Mi:max_file_bytes=512Ki", load);
  INFO(describe(trial));
  CHECK(trial.outcome == TrialOutcome::completed);
  CHECK(trial.consumer.mode == ConsumerMode::live);
  CHECK(balanced(trial.ledger));
  CHECK(trial.ledger.lost == lost_to(trial.ledger, kVacuumed));
}

TEST_CASE("a disk too small for its journal: entries without room are counted as lost") {
  if (!available()) return;
  const Trial trial = run_stress(
      "journald:compress_above_bytes=0:disk_bytes=4Mi:keep_free_bytes=1:"
      "max_use_bytes=1G:max_file_bytes=1Mi",
      nine_megabytes(), ConsumerMode::after);
  INFO(describe(trial));
  CHECK(trial.outcome == TrialOutcome::completed);
  CHECK(balanced(trial.ledger));
  CHECK(trial.ledger.lost > 0);
  CHECK(trial.ledger.lost == lost_to(trial.ledger, "never stored by journald: disk full"));
  CHECK(trial.ledger.delivered > 0);
}

TEST_CASE("a killed namespace holder is named, and journald's losses are still counted") {
  if (!available()) return;
  OnceDuringLoad end(0.2, [] {
    const int holder = child_named(kHolder);
    REQUIRE(holder > 0);
    kill(holder, SIGKILL);
  });
  // Small journals, so that there is something to count; read live, since no later process could
  // enter the namespace.
  LoadPlan load = nine_megabytes();
  load.events = 1000;
  const Trial trial = run_stress(
      "journald:compress_above_bytes=0:disk_bytes=4Mi:keep_free_bytes=1:"
      "max_use_bytes=1G:max_file_bytes=1Mi",
      load, std::nullopt, std::ref(end));
  INFO(describe(trial));
  CHECK(balanced(trial.ledger));
  CHECK(lost_to(trial.ledger, "never stored by journald: disk full") > 0);
  CHECK(remarked(trial, "tailgate-holder"));
  CHECK_FALSE(remarked(trial, "sd_journal_open_directory"));
}

TEST_CASE("a journald stopped for a while delays events and loses none") {
  if (!available()) return;
  int stopped = 0;
  OnceDuringLoad stop(0.1, [&] { kill(stopped = child_named(kDaemon), SIGSTOP); });
  OnceDuringLoad resume(0.4, [&] { kill(stopped, SIGCONT); });
  const Trial trial = run_stress("journald", stress_load(2000, 0.8), std::nullopt,
                                 [&](const TrialProgress& progress) {
                                   stop(progress);
                                   resume(progress);
                                 });
  INFO(describe(trial));
  CHECK(stopped > 0);
  CHECK(trial.outcome == TrialOutcome::completed);
  CHECK(balanced(trial.ledger));
  CHECK(trial.ledger.lost == 0);
  CHECK(trial.service.max_ns > 100'000'000);
}

TEST_CASE("a journald that stays stopped hangs emit(), events sent before are read back") {
  if (!available()) return;
  TrialSettings settings = stress_settings();
  settings.hang_timeout_s = 5;
  OnceDuringLoad stop(0.1, [] { signal_daemon(SIGSTOP); });
  const Trial trial =
      run_stress("journald", stress_load(2000, 20), std::nullopt, std::ref(stop), settings);
  INFO(describe(trial));
  CHECK(trial.outcome == TrialOutcome::hung);
  CHECK(trial.ledger.unaccounted == 0);
  CHECK(trial.ledger.delivered > 0);
}

TEST_CASE("a killed journald leaves a remark, and the events it had not stored are counted") {
  if (!available()) return;
  for (const char* mode : {"native", "sd_journal_send"}) {
    OnceDuringLoad end(0.2, [] { signal_daemon(SIGKILL); });
    const Trial trial = run_stress(std::string("journald:mode=") + mode, stress_load(20'000, 0.4),
                                   std::nullopt, std::ref(end));
    INFO(describe(trial));
    CHECK(balanced(trial.ledger));
    CHECK(trial.ledger.delivered > 0);
    CHECK(lost_to(trial.ledger, "ECONNREFUSED") > 0);
    CHECK(remarked(trial, "journald ended by signal 9"));
  }
}

// The link to the daemon's socket is in the private view only, reached through /proc/PID/root.
void remove_socket() {
  const int holder = child_named(kHolder);
  REQUIRE(holder > 0);
  const std::string socket =
      "/proc/" + std::to_string(holder) + "/" + "root/run/systemd/journal/socket";
  REQUIRE(unlink(socket.c_str()) == 0);
}

TEST_CASE("without a socket sd_journal_send reports success, and the ledger counts losses") {
  if (!available()) return;
  OnceDuringLoad remove(0.2, remove_socket);
  const Trial trial = run_stress("journald:mode=sd_journal_send", stress_load(5000, 0.5),
                                 std::nullopt, std::ref(remove));
  INFO(describe(trial));
  CHECK(trial.outcome == TrialOutcome::completed);
  CHECK(balanced(trial.ledger));
  CHECK(lost_to(trial.ledger, kNeverStored) > 0);
  CHECK(lost_to(trial.ledger, kNeverStored) == trial.ledger.lost);
}

TEST_CASE("large events are read back whole, compressed or not") {
  if (!available()) return;
  for (const char* sink : {"journald:encoding=binary", "journald:compress_above_bytes=0"}) {
    LoadPlan load = stress_load(200, 0.3);
    load.payload = parse_payload("60000");
    const Trial trial = run_stress(sink, load);
    INFO(describe(trial));
    CHECK(balanced(trial.ledger));
    CHECK(trial.ledger.lost == 0);
    CHECK(trial.ledger.delivered >= 50);
  }
}

// With every kind of line, some of which only the sized form of a field can hold.
LoadPlan log_lines() {
  LoadPlan load = stress_load(4000, 0);
  load.events = 4 * kLogLines;
  load.payload = parse_payload("lines(61440)");
  return load;
}

TEST_CASE("log lines come back byte by byte, as one field and as fields of their own") {
  if (!available()) return;
  for (const char* sink :
       {"journald", "journald:fields=log", "journald:fields=log:encoding=binary",
        "journald:fields=log:compress_above_bytes=0", "journald:fields=log:mode=sd_journal_send"}) {
    const Trial trial = run_stress(sink, log_lines());
    INFO(sink << ": " << describe(trial));
    CHECK(trial.outcome == TrialOutcome::completed);
    CHECK(balanced(trial.ledger));
    CHECK(trial.ledger.delivered == trial.ledger.emitted);
    CHECK(trial.ledger.corrupted == 0);
    REQUIRE(trial.copies);
    REQUIRE(trial.copies->size() == 1);
    for (const LineKindRead& kind : trial.copies->front().kinds) {
      INFO(enum_text(kind.kind));
      CHECK(kind.same == kind.lines);
    }
  }
}

TEST_CASE("sd_journal_send cuts a message at its first NUL, and the comparison says it") {
  if (!available()) return;
  const Trial trial = run_stress("journald:mode=sd_journal_send", log_lines());
  INFO(describe(trial));
  REQUIRE(trial.copies);
  for (const LineKindRead& kind : trial.copies->front().kinds) {
    INFO(enum_text(kind.kind));
    CHECK(kind.cut == (kind.kind == LineKind::nul ? kind.lines : 0));
    CHECK(kind.same + kind.cut == kind.lines);
  }
}

TEST_CASE("formatted fields come back as fields of their own, with the values that were sent") {
  if (!available()) return;
  LoadPlan load = stress_load(2000, 0.2);
  load.payload = parse_payload("600");
  for (const char* sink :
       {"journald:fields=named:fields_count=32:fields_as=text",
        "journald:fields=named:fields_count=32:fields_as=real:encoding=binary",
        "journald:fields=named:fields_count=4:fields_as=integer:mode=sd_journal_send"}) {
    const Trial trial = run_stress(sink, load);
    INFO(sink << ": " << describe(trial));
    CHECK(balanced(trial.ledger));
    CHECK(trial.ledger.delivered == trial.ledger.emitted);
    CHECK(trial.ledger.corrupted == 0);
  }
}

// Writes datagrams into a private journal, and reads what the journal has of the last one.
class PrivateJournal {
 public:
  PrivateJournal() : choice_(sink_choice("journald")) {
    session_.emplace(TrialContext{.options = choice_.options, .directory = scratch_.path()});
    session_->start();
  }

  void send(std::string datagram) {
    const pid_t child = fork();
    if (child == 0) {
      if (!OtherNamespaces(session_->namespace_pid()).enter()) _exit(1);
      LocalDatagrams socket(journald::kSocket, true, 0);
      iovec part{datagram.data(), datagram.size()};
      _exit(socket.send({&part, 1}) == kAccepted ? 0 : 1);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(status == 0);
  }

  // Those that journald did not add, by name; empty when no such entry came within 10 s.
  std::map<std::string, std::string> entry() {
    const std::filesystem::path root = "/proc/" + std::to_string(session_->namespace_pid());
    journald::JournalReader reader(root / "root" /
                                   journald::journal_directory(choice_.options).relative_path());
    std::map<std::string, std::string> fields;
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!fields.contains("LAST") && std::chrono::steady_clock::now() < give_up) {
      fields.clear();
      if (!reader.next()) {
        reader.refresh();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        continue;
      }
      reader.each_field([&](std::span<const std::byte> data) {
        const std::string text(reinterpret_cast<const char*>(data.data()), data.size());
        const std::size_t name = text.find('=');
        if (!text.starts_with("_")) fields[text.substr(0, name)] = text.substr(name + 1);
      });
    }
    return fields;
  }

 private:
  SinkChoice choice_;
  Scratch scratch_{{}, false};
  std::optional<journald::JournaldSession> session_;
};

TEST_CASE("the journal drops fields with other names, and keeps any value") {
  if (!available()) return;
  PrivateJournal journal;
  const std::string longest(64, 'N');
  std::string large(64 * 1024, 'x');
  large[10] = '\n';
  large[20] = '\0';
  const std::string size = {'\0', '\0', '\1', '\0', '\0', '\0', '\0', '\0'};  // little endian
  journal.send("LARGE\n" + size + large + "\n" +
               "lower=1\nMixed=2\n9DIGIT=3\n_TRUSTED=4\nDASH-ED=5\n" + longest + "N=6\n" + longest +
               "=7\nDIGIT9=8\nTWICE=9\nTWICE=10\nEMPTY=\nLAST=\xFF\n");
  auto fields = journal.entry();
  // A name that is there twice has both values; the map has one of them.
  CHECK(fields.erase("TWICE") == 1);
  CHECK(fields ==
        std::map<std::string, std::string>{
            {longest, "7"}, {"LARGE", large}, {"DIGIT9", "8"}, {"EMPTY", ""}, {"LAST", "\xFF"}});
}

TEST_CASE("a killed controller leaves no journald and no file behind") {
  if (!available()) return;
  const Scratch scratch({}, false);
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t controller = fork();
  if (controller == 0) {
    const SinkChoice choice = sink_choice("journald");
    journald::JournaldSession session({.options = choice.options, .directory = scratch.path()});
    session.start();
    const int pids[2] = {session.namespace_pid(), session.daemons().front().pid};
    static_cast<void>(!write(ends[1], pids, sizeof pids));
    while (true) pause();
  }
  int pids[2] = {};
  REQUIRE(read(ends[0], pids, sizeof pids) == sizeof pids);
  close(ends[0]);
  close(ends[1]);
  CHECK_FALSE(std::filesystem::exists("/run/systemd/journal.tailgate"));
  CHECK_FALSE(std::filesystem::exists("/run/tailgate-session"));
  kill(controller, SIGKILL);
  waitpid(controller, nullptr, 0);
  for (const int pid : pids) CHECK(gone_in_time(pid));
  CHECK_FALSE(std::filesystem::exists("/run/systemd/journal.tailgate"));
}

TEST_CASE("the sequence number is read from cursors only") {
  using journald::cursor_sequence;
  CHECK(
      cursor_sequence("s=fd08cbe67f8c45a0a45131e4123f663f;i=1f;b=4189d7c52faf4b81b8fb2e167fea819d;"
                      "m=141ef2f24;t=660cab0391a84;x=92ca12a183931043") == 0x1f);
  CHECK(cursor_sequence("i=ffffffffffffffff") == ~std::uint64_t{0});
  for (const char* none :
       {"", ";", "s=1;b=2", "i=", "i=xyz", "i=1 ", "i=10000000000000000", "xi=1"}) {
    INFO(none);
    CHECK_FALSE(cursor_sequence(none).has_value());
  }
}

}  // namespace
}  // namespace tailgate
