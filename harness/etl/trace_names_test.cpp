#include "harness/etl/trace_names.h"

#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/etl/report.h"
#include "harness/etl/testing/kernel_trace.h"

using namespace tailgate::etl;

namespace {

// The events of a trace as the lines of its dump.
std::vector<nlohmann::json> dumped(KernelTrace& trace) {
  const std::vector<std::uint8_t> bytes = trace.file();
  const TraceFile file(bytes, "test");
  Decoder decoder;
  DumpOptions options;
  options.format = DumpFormat::json_lines;
  std::string out;
  dump_events({&file}, decoder, options, [&out](std::string_view text) {
    out += text;
    return true;
  });
  std::vector<nlohmann::json> events;
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);) events.push_back(nlohmann::json::parse(line));
  return events;
}

// The named value of each event of that hook, "-" without one.
std::vector<std::string> named(const std::vector<nlohmann::json>& events, const char* hook,
                               const char* name) {
  std::vector<std::string> values;
  for (const nlohmann::json& event : events) {
    if (event.value("hook", "") == hook) values.push_back(event.value(name, "-"));
  }
  return values;
}

void read_disk(KernelTrace& trace, std::int64_t time_us, std::uint64_t key) {
  ByteBuilder b;
  trace.add(time_us, 0x010A, b.u32(0).u32(0).u32(512).u32(0).u64(0).u64(key).u64(1).u64(5));
}

void send_packet(KernelTrace& trace, std::int64_t time_us, std::uint32_t process) {
  ByteBuilder b;
  trace.add(time_us, 0x080A, b.u32(process).zeros(28));
}

}  // namespace

TEST_CASE("an id that is used again has each name in its time", "[etl]") {
  NameHistory history;
  NameLimits limits;
  history.add(7, 50, false, "old.exe", limits);  // ends at 50
  history.add(7, 100, true, "new.exe", limits);  // begins at 100
  history.add(8, 60, false, "listed.exe", limits);
  history.add(9, 10, true, "begins.exe", limits);
  history.sort();
  CHECK(history.find(7, 0) == "old.exe");
  CHECK(history.find(7, 50) == "old.exe");
  CHECK(history.find(7, 99) == "old.exe");
  CHECK(history.find(7, 100) == "new.exe");
  CHECK(history.find(7, 999) == "new.exe");
  CHECK(history.find(8, 0) == "listed.exe");
  CHECK(history.find(8, 90) == "listed.exe");
  CHECK(history.find(9, 9).empty());
  CHECK(history.find(10, 50).empty());
}

TEST_CASE("names without room are counted", "[etl]") {
  NameHistory history;
  NameLimits limits;
  limits.entries = 2;
  history.add(1, 0, true, "a", limits);
  history.add(2, 0, true, "b", limits);
  history.add(3, 0, true, "c", limits);
  CHECK(limits.over_limit == 1);
  limits.entries = 10;
  const std::size_t left = limits.bytes;
  limits.bytes = 10;
  history.add(4, 0, true, "d", limits);
  CHECK(limits.over_limit == 2);
  limits.bytes = left;
  history.add(5, 0, true, "e", limits);
  history.sort();
  CHECK(history.find(3, 0).empty());
  CHECK(history.find(4, 0).empty());
  CHECK(history.find(5, 0) == "e");
}

TEST_CASE("a dump says how many names have no room", "[etl]") {
  KernelTrace trace;
  constexpr std::uint32_t kVolumes = 1030;
  for (std::uint32_t i = 0; i < kVolumes; ++i) trace.volume("\\Device\\" + std::to_string(i), "C:");
  const std::vector<std::uint8_t> bytes = trace.file();
  const TraceFile file(bytes, "test");
  Decoder decoder;
  const std::string note = dump_events({&file}, decoder, {}, [](std::string_view) { return true; });
  CHECK(note == "names of processes, files, images and volumes without room: 6");
}

TEST_CASE("every event has its process's name, wherever the trace says it", "[etl]") {
  KernelTrace trace;
  send_packet(trace, 10, 500);
  send_packet(trace, 20, 600);
  trace.process(30, 0x0302, 500, "old.exe");
  trace.process(40, 0x0301, 500, "new.exe");
  send_packet(trace, 50, 500);
  send_packet(trace, 60, 700);
  trace.process(70, 0x0304, 600, "late.exe");
  CHECK(named(dumped(trace), "0x080a", "process") ==
        std::vector<std::string>{"old.exe", "late.exe", "new.exe", "-"});
}

TEST_CASE("disk requests have the file's name with its drive letter", "[etl]") {
  KernelTrace trace;
  trace.volume(R"(\Device\HarddiskVolume2\)", R"(C:\)");
  trace.volume(R"(\Device\HarddiskVolume22\)", R"(E:\)");
  trace.volume(R"(\SystemRoot\)", R"(C:\Windows\)");
  read_disk(trace, 10, 0xAA);
  read_disk(trace, 20, 0xBB);
  read_disk(trace, 30, 0xCC);
  read_disk(trace, 40, 0xDD);
  read_disk(trace, 50, 0xEE);
  const std::map<std::uint64_t, std::string> files = {{0xAA, R"(\device\harddiskvolume2\a.txt)"},
                                                      {0xBB, R"(\Device\HarddiskVolume22\b.txt)"},
                                                      {0xCC, R"(\Device\Mup\server\share\c.txt)"},
                                                      {0xDD, R"(\Windows\d.dll)"}};
  for (const auto& [key, path] : files) trace.add(60, 0x0424, ByteBuilder().u64(key).text16(path));
  CHECK(named(dumped(trace), "0x010a", "file") ==
        std::vector<std::string>{R"(C:\a.txt)", R"(E:\b.txt)", R"(\\server\share\c.txt)",
                                 R"(C:\Windows\d.dll)", "-"});
}

TEST_CASE("a sample has the image of its address, in its process or in the kernel", "[etl]") {
  KernelTrace trace;
  trace.add(0, 0x0503, ByteBuilder().u32(500).u32(8));
  trace.add(0, 0x0503, ByteBuilder().u32(600).u32(12));
  trace.image(1, 500, 0x10000, 0x1000, R"(\Device\HarddiskVolume2\app.exe)");
  trace.image(1, 600, 0x10000, 0x1000, R"(\Device\HarddiskVolume2\other.exe)");
  trace.image(1, 0, 0xFFFF'F800'0000'0000, 0x1000, R"(\SystemRoot\ntoskrnl.exe)");
  const auto sample = [&trace](std::int64_t time_us, std::uint64_t address, std::uint32_t thread) {
    trace.add(time_us, 0x0F2E, ByteBuilder().u64(address).u32(thread).u16(1).u16(0));
  };
  sample(10, 0x10010, 8);
  sample(20, 0x10FFF, 12);
  sample(30, 0xFFFF'F800'0000'0020, 8);
  sample(40, 0x11000, 8);
  CHECK(named(dumped(trace), "0x0f2e", "image") ==
        std::vector<std::string>{"app.exe+0x10", "other.exe+0xfff", "ntoskrnl.exe+0x20", "-"});
}

TEST_CASE("conditions and columns know the names", "[etl]") {
  KernelTrace trace;
  trace.process(5, 0x0303, 500, "app.exe");
  trace.process(5, 0x0303, 600, "other.exe");
  send_packet(trace, 10, 500);
  send_packet(trace, 20, 600);
  const std::vector<std::uint8_t> bytes = trace.file();
  const TraceFile file(bytes, "test");
  Decoder decoder;
  DumpOptions options;
  options.columns = {EventPath::parse("pid"), EventPath::parse("process"),
                     EventPath::parse("file")};
  options.filter.events = {"Send"};
  std::string out;
  dump_events({&file}, decoder, options, [&out](std::string_view text) {
    out += text;
    return true;
  });
  CHECK(out == "pid\tprocess\tfile\n500\tapp.exe\t\n600\tother.exe\t\n");
}
