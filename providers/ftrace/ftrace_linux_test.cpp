// The ftrace sink's limits and losses, against the kernel's own counts. Needs root; skipped
// without.
#include <catch2/catch.hpp>

#include <sched.h>

#include <numeric>
#include <thread>

#include "providers/shared/tracefs/ring_consumer.h"
#include "providers/shared/tracefs/trace_session.h"
#include "providers/testing/sinks.h"
#include "providers/testing/test_trial.h"

namespace tailgate {
namespace {

bool skipped() {
  const Probe probe = test_sinks().find("ftrace")->probe(sink_choice("ftrace").options);
  if (!probe.available) WARN("skipped: " << probe.reason << "; " << probe.remedy);
  return !probe.available;
}

// Runs `work` on one CPU, so that one CPU's buffer fills up.
void on_one_cpu(const std::function<void()>& work) {
  std::thread([&] {
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(static_cast<std::size_t>(sched_getcpu()), &here);
    sched_setaffinity(0, sizeof here, &here);
    work();
  }).join();
}

std::uint64_t sum(const std::vector<Loss>& losses) {
  std::uint64_t events = 0;
  for (const Loss& loss : losses) events += loss.events;
  return events;
}

TEST_CASE("a raw event of 4064 bytes is read back, a longer one is refused") {
  if (skipped()) return;
  TestTrial fits("ftrace", 1, 10, 4064);
  fits.open();
  CHECK(fits.emit().empty());
  const Record record = fits.read_back();
  CHECK(record.sequences.size() == 1);
  CHECK(record.event_bytes == 4064);

  TestTrial too_long("ftrace", 1, 10, 4065);
  too_long.open();
  CHECK(too_long.emit() == "EINVAL: too long");
  CHECK(too_long.read_back().event_bytes == 0);
}

TEST_CASE("a text event of 4054 bytes is read back, a longer one is cut and refused") {
  if (skipped()) return;
  TestTrial fits("ftrace:mode=text", 1, 10, 4054);
  fits.open();
  CHECK(fits.emit().empty());
  CHECK(fits.read_back().sequences.size() == 1);

  TestTrial too_long("ftrace:mode=text", 1, 10, 4055);
  too_long.open();
  CHECK(too_long.emit() == "cut short");
  const Record record = too_long.read_back();
  CHECK(record.sequences.empty());
  CHECK(record.bad_events == 1);
}

TEST_CASE("overwritten events are counted exactly, and the page headers agree") {
  if (skipped()) return;
  const std::string mode = GENERATE("raw", "text");
  constexpr std::uint64_t kEvents = 5000;
  TestTrial trial("ftrace:buffer_bytes=16Ki:mode=" + mode, 1, kEvents);
  trial.open();
  on_one_cpu([&] {
    for (std::uint64_t i = 0; i < kEvents; ++i) REQUIRE(trial.emit_next(0) == kAccepted);
  });
  trial.provider().close();
  trial.session().stop();
  const std::uint64_t lost = sum(trial.session().losses());
  CHECK(lost > 0);

  const tracefs::TraceFolder instance = tracefs::open_instance(trial.directory().path());
  const bool raw = mode == "raw";
  tracefs::RingConsumer consumer(
      instance,
      tracefs::record_format(
          instance.read(raw ? "events/ftrace/raw_data/format" : "events/ftrace/print/format"),
          raw ? "id" : "buf", raw ? tracefs::Carriage::raw : tracefs::Carriage::text));
  Record record(trial.context().encoding);
  while (consumer.poll(record) > 0) {
  }
  CHECK(record.damaged_bytes + record.bad_events == 0);
  CHECK(record.sequences.size() + lost == kEvents);
  // The newest events are kept, in order.
  REQUIRE_FALSE(record.sequences.empty());
  CHECK(record.sequences.back() == kEvents - 1);
  CHECK(record.sequences.front() == lost);
  std::uint64_t missed = 0;
  std::uint64_t without_number = 0;
  for (const tracefs::CpuBuffer& buffer : consumer.buffers()) {
    missed += buffer.missed_events();
    without_number += buffer.missed_without_number();
  }
  CHECK((missed == lost || without_number > 0));
}

TEST_CASE("without overwrite a full buffer refuses new events and loses none") {
  if (skipped()) return;
  TestTrial trial("ftrace:buffer_bytes=16Ki:overwrite=false");
  trial.open();
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;
  on_one_cpu([&] {
    for (int i = 0; i < 2000; ++i) {
      const EmitStatus status = trial.emit_next(0);
      ++(status == kAccepted ? accepted : refused);
      if (status != kAccepted)
        CHECK(trial.provider().refusal_causes().at(status - 1u) == "EBADF: buffer full or off");
    }
  });
  CHECK(accepted > 0);
  CHECK(refused > 0);
  trial.session().stop();
  CHECK(trial.session().losses().empty());
  const Record record = trial.read_back();
  CHECK(record.sequences.size() == accepted);
  CHECK(record.sequences.front() == 0);
}

TEST_CASE("events of a thread that moves between CPUs are read back in order") {
  if (skipped()) return;
  const unsigned cpus = std::thread::hardware_concurrency();
  constexpr int kEvents = 2000;
  TestTrial trial("ftrace");
  trial.open();
  std::thread([&] {
    for (int i = 0; i < kEvents; ++i) {
      cpu_set_t next;
      CPU_ZERO(&next);
      CPU_SET(static_cast<std::size_t>(i / 10) % cpus, &next);
      if (i % 10 == 0) sched_setaffinity(0, sizeof next, &next);
      trial.emit_next(0);
    }
  }).join();
  const Record record = trial.read_back();
  REQUIRE(record.sequences.size() == kEvents);
  CHECK(std::is_sorted(record.sequences.begin(), record.sequences.end()));
}

TEST_CASE("the session reports the kernel's settings and removes its instance") {
  if (skipped()) return;
  TestTrial trial("ftrace:buffer_bytes=100000:overwrite=false");
  std::map<std::string, std::string> granted;
  for (const auto& [name, value] : trial.session().granted()) granted[name] = value;
  CHECK(std::stoull(granted["buffer_bytes"]) >= 100000);
  CHECK(granted["trace_clock"] == "mono_raw");  // the test uses the system's clock
  CHECK(granted["overwrite"] == "false");
  trial.end_session();
  for (const std::string& name : tracefs::TraceFolder::root().folders_in("instances")) {
    CHECK(name != granted["instance"]);
  }
}

}  // namespace
}  // namespace tailgate
