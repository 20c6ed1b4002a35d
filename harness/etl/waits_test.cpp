#include "harness/etl/waits.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "harness/etl/testing/kernel_trace.h"
#include "harness/etl/testing/trace_writer.h"

using namespace tailgate::etl;

namespace {

// Writes switches and ready-thread events of thread 8 (process 500, "app.exe") and thread 12
// (process 600, "server.exe"). Times are in us since the trace's start.
class WaitTrace {
 public:
  WaitTrace() {
    for (const auto& [id, name] : {std::pair{500u, "app.exe"}, std::pair{600u, "server.exe"}}) {
      ByteBuilder b;
      kernel(0, 0x0303, b.u64(1).u32(id).u32(4).u32(0).u32(0).u32(0).text8(name).text16(""));
    }
  }

  void threads() {
    for (const auto& [process, thread] : {std::pair{500u, 8u}, std::pair{600u, 12u}}) {
      ByteBuilder b;
      kernel(0, 0x0503, b.u32(process).u32(thread));
    }
  }

  void kernel(std::int64_t time_us, std::uint16_t hook, const ByteBuilder& payload,
              std::uint16_t processor = 0) {
    KernelRecord record;
    record.hook_id = hook;
    record.time = at(time_us);
    record.payload = payload.bytes();
    writer_.add(processor, perf_info_record(record));
  }
  void switch_to(std::int64_t time_us, std::uint32_t to, std::uint32_t from, std::uint8_t state,
                 std::uint8_t reason, std::uint16_t processor = 0) {
    writer_.add(processor, context_switch_record(at(time_us), to, from, state, reason));
  }
  void ready(std::int64_t time_us, std::uint32_t thread, std::uint8_t flags = 0,
             std::uint16_t processor = 0) {
    ByteBuilder b;
    kernel(time_us, 0x0532, b.u32(thread).u8(1).u8(0).u8(flags).u8(0), processor);
  }

  std::string report(TextFormat format) {
    const std::vector<std::uint8_t> bytes = writer_.file();
    const TraceFile file(bytes, "test");
    std::string out;
    report_waits({&file}, format, 10, [&out](std::string_view text) {
      out += text;
      return true;
    });
    return out;
  }
  nlohmann::json json() { return nlohmann::json::parse(report(TextFormat::json)); }

 private:
  std::int64_t at(std::int64_t time_us) const { return options_.start_raw + time_us * 10; }

  WriterOptions options_;
  TraceWriter writer_{options_};
};

// Thread 8 waits from 10 us on; on processor 1, thread 12 makes it ready at 110 us; it runs again
// at 130 us. Thread 12 is preempted at 140 us and runs again at 145 us. Then thread 8 waits for
// work from 200 us on, and a DPC makes it ready at 260 us; it runs at 261 us.
void play(WaitTrace& trace) {
  trace.switch_to(5, 12, 0, 0, 0, 1);
  trace.switch_to(10, 0, 8, kWaiting, kUserRequest);
  trace.ready(110, 8, 0, 1);
  trace.ready(115, 8, 0, 1);  // again: it is ready already
  trace.switch_to(130, 8, 0, 0, 0);
  trace.switch_to(140, 16, 12, kReady, kWrPreempted, 1);
  trace.switch_to(145, 12, 16, kWaiting, kUserRequest, 1);
  trace.switch_to(200, 0, 8, kWaiting, kWrQueue);
  trace.ready(260, 8, 1);
  trace.switch_to(261, 8, 0, 0, 0);
}

}  // namespace

TEST_CASE("waits: what threads wait for, how long, and until when they are ready") {
  WaitTrace trace;
  trace.threads();
  play(trace);
  const auto json = trace.json();
  CHECK(json["switches"] == 7);
  CHECK(json["notes"].empty());
  REQUIRE(json["waits"].size() == 3);
  const auto& user = json["waits"][0];
  CHECK(user["process"] == "app.exe (500)");
  CHECK(user["reason"] == "UserRequest");
  CHECK(user["count"] == 1);
  CHECK(user["total_ms"] == Approx(0.120));
  CHECK(user["max_ms"] == Approx(0.120));
  CHECK(user["readied"] == 1);
  CHECK(user["ready_ms"] == Approx(0.020));
  const auto& queue = json["waits"][1];
  CHECK(queue["reason"] == "WrQueue");
  CHECK(queue["total_ms"] == Approx(0.061));
  CHECK(queue["ready_ms"] == Approx(0.001));
  const auto& preempted = json["waits"][2];
  CHECK(preempted["process"] == "server.exe (600)");
  CHECK(preempted["reason"] == "WrPreempted");
  CHECK(preempted["total_ms"] == Approx(0.005));
  CHECK(preempted["ready_ms"] == Approx(0.005));  // it has been ready all the time
}

TEST_CASE("waits: who made a thread ready") {
  WaitTrace trace;
  trace.threads();
  play(trace);
  const auto readiers = trace.json()["readiers"];
  REQUIRE(readiers.size() == 2);
  CHECK(readiers[0]["by"] == "server.exe (600)");
  CHECK(readiers[0]["readied"] == "app.exe (500)");
  CHECK(readiers[0]["count"] == 1);
  CHECK(readiers[0]["waited_ms"] == Approx(0.100));
  CHECK(readiers[1]["by"] == "a DPC");
  CHECK(readiers[1]["waited_ms"] == Approx(0.060));
}

TEST_CASE("waits: with which priorities threads lose and get a processor") {
  WaitTrace trace;
  trace.threads();
  const auto switched = [&trace](std::int64_t time_us, std::uint32_t to, std::uint8_t to_priority,
                                 std::uint32_t from, std::uint8_t from_priority) {
    ByteBuilder b;
    b.u32(to).u32(from).u8(to_priority).u8(from_priority).u8(0).u8(0).u8(kUserRequest).u8(0);
    trace.kernel(time_us, 0x0524, b.u8(kWaiting).u8(0).u32(0).u32(0));
  };
  switched(10, 0, 0, 8, 8);
  switched(20, 8, 10, 0, 0);  // raised by the wait's end
  switched(30, 0, 0, 8, 10);
  switched(40, 8, 10, 0, 0);
  switched(50, 0, 0, 8, 9);
  switched(60, 8, 8, 0, 0);
  const auto waits = trace.json()["waits"];
  REQUIRE(waits.size() == 1);
  CHECK(waits[0]["count"] == 3);
  CHECK(waits[0]["priority_min"] == 8);
  CHECK(waits[0]["priority_max"] == 10);
  CHECK(waits[0]["raised"] == 1);
}

TEST_CASE("waits: a trace may name its threads at its end") {
  WaitTrace trace;
  play(trace);
  for (const auto& [process, thread] : {std::pair{500u, 8u}, std::pair{600u, 12u}}) {
    trace.kernel(300, 0x0504, ByteBuilder().u32(process).u32(thread));
  }
  CHECK(trace.json()["waits"][0]["process"] == "app.exe (500)");
}

TEST_CASE("waits: a thread that ended does not leave its wait to the next one of its id") {
  WaitTrace trace;
  trace.switch_to(10, 0, 8, kWaiting, kUserRequest);
  trace.kernel(20, 0x0502, ByteBuilder().u32(500).u32(8));
  trace.switch_to(500, 8, 0, 0, 0);
  CHECK(trace.json()["waits"].empty());
}

TEST_CASE("waits: what is not in the trace is said, not shown as zero") {
  WaitTrace trace;
  const std::string text = trace.report(TextFormat::text);
  CHECK_THAT(text, Catch::Contains("note: context switches: none in the trace"));
  CHECK_THAT(text, Catch::Contains("note: ready-thread events that end a wait: none"));
  trace.kernel(5, 0x0525, ByteBuilder().zeros(88));
  CHECK_THAT(trace.report(TextFormat::text), Catch::Contains("1 batches of compact context"));
}
