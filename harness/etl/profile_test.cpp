#include "harness/etl/profile.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/etl/testing/kernel_trace.h"

using namespace tailgate::etl;

namespace {

constexpr std::uint64_t kKernel = 0xFFFFF80000000000;

// Thread 8 of process 500 ("app.exe") is sampled twice on processor 0: in the kernel, called from
// app.exe, and in lib.dll. Its stacks come in parts, by frames and by keys that are defined later.
// Thread 12 of process 600 is sampled once on processor 1, without a stack.
std::vector<std::uint8_t> sampled_trace(const WriterOptions& options = {}) {
  TraceWriter writer(options);
  const std::int64_t start = options.start_raw;
  std::int64_t time = start;
  const auto kernel = [&](std::uint16_t hook, const ByteBuilder& payload, std::uint16_t cpu = 0) {
    KernelRecord record;
    record.hook_id = hook;
    record.version = 2;
    record.time = ++time;
    record.payload = payload.bytes();
    writer.add(cpu, perf_info_record(record));
    return time;
  };
  const auto process = [&](std::uint32_t id, std::string_view name) {
    kernel(0x0303, ByteBuilder().u64(1).u32(id).u32(4).u32(0).u32(0).u32(0).text8(name).text16(""));
  };
  const auto image = [&](std::uint64_t base, std::uint32_t id, std::string_view name) {
    ByteBuilder b;
    b.u64(base).u64(0x1000).u32(id).zeros(12).u64(0).zeros(16);
    kernel(0x1404, b.text16(name));
  };
  const auto sample = [&](std::uint64_t address, std::uint32_t thread, std::uint16_t cpu) {
    return kernel(0x0F2E, ByteBuilder().u64(address).u32(thread).u16(1).u8(0).u8(0), cpu);
  };
  const auto stack = [&](std::uint16_t hook, std::int64_t of, ByteBuilder frames) {
    ByteBuilder b;
    b.u64(static_cast<std::uint64_t>(of)).u32(500).u32(8);
    kernel(hook, b.raw(frames.bytes()));
  };
  process(500, "app.exe");
  process(600, "other.exe");
  kernel(0x0503, ByteBuilder().u32(600).u32(12));
  const std::int64_t first = sample(kKernel + 0x10, 8, 0);
  stack(0x1820, first, ByteBuilder().u64(kKernel + 0x10).u64(kKernel + 0x20));
  const std::int64_t second = sample(0x20040, 8, 0);
  sample(0x9999, 12, 1);
  stack(0x1826, first, ByteBuilder().u64(7));
  stack(0x1820, second, ByteBuilder().u64(0x20040).u64(0x10040));
  stack(0x1820, second + 1000, ByteBuilder().u64(0x1));  // of another event
  kernel(0x1824, ByteBuilder().u64(7).u64(0x10020).u64(0x10040));
  image(kKernel, 0, "\\SystemRoot\\nt.exe");
  image(0x10000, 500, "\\Device\\x\\app.exe");
  image(0x20000, 500, "\\Device\\x\\lib.dll");
  return writer.file();
}

std::string profile_of_files(const std::vector<const TraceFile*>& files, ProfileFormat format) {
  std::string out;
  report_profile(files, {format}, [&out](std::string_view text) {
    out += text;
    return true;
  });
  return out;
}

std::string profile_of(const std::vector<std::uint8_t>& bytes, ProfileFormat format) {
  const TraceFile file(bytes, "test");
  return profile_of_files({&file}, format);
}

}  // namespace

TEST_CASE("profile: samples by processor, process and image, joined with their stacks") {
  const auto json = nlohmann::json::parse(profile_of(sampled_trace(), ProfileFormat::json));
  CHECK(json["samples"] == 3);
  CHECK(json["samples_with_stack"] == 2);
  CHECK(json["other_stacks"] == 1);
  CHECK(json["processors"] == nlohmann::json{{"0", 2}, {"1", 1}});
  REQUIRE(json["processes"].size() == 2);
  const auto& app = json["processes"][0];
  CHECK(app["name"] == "app.exe (500)");
  CHECK(app["samples"] == 2);
  CHECK(app["images"] == nlohmann::json::parse(R"([
      {"name":"lib.dll","exclusive":1,"inclusive":1},
      {"name":"nt.exe","exclusive":1,"inclusive":1},
      {"name":"app.exe","exclusive":0,"inclusive":2}])"));
  CHECK(json["processes"][1]["name"] == "other.exe (600)");
  CHECK(json["processes"][1]["images"][0]["name"] == "unknown");
}

TEST_CASE("profile: folded stacks, outermost frame first") {
  CHECK(profile_of(sampled_trace(), ProfileFormat::folded) ==
        "app.exe (500);app.exe+0x40;app.exe+0x20;nt.exe+0x20;nt.exe+0x10 1\n"
        "app.exe (500);app.exe+0x40;lib.dll+0x40 1\n"
        "other.exe (600);0x9999 1\n");
}

// Another computer, whose counter is slower and lower, and whose process 500 is another program.
// The stack of the first is 6 s behind its sample by the wrong clock, and 60 ms by its own.
TEST_CASE("profile: traces of several clocks have one each") {
  const std::vector<std::uint8_t> first_bytes = sampled_trace();
  WriterOptions options;
  options.session_name = "other computer";
  options.clock_hz = 1'000'000'000;
  options.start_raw = 5000;
  options.start_filetime += 10'000'000;
  options.boot_filetime += 900'000'000;
  KernelTrace other(options);
  other.process(0, 0x0303, 500, "tool.exe");
  other.image(0, 500, 0x10000, 0x1000, "\\Device\\x\\tool.exe");
  other.add(10, 0x0F2E, ByteBuilder().u64(0x10080).u32(8).u16(1).u8(0).u8(0));
  other.stack(6'000'010, 10, 500, 8, {0x10080, 0x10090});
  const std::vector<std::uint8_t> other_bytes = other.file();
  const TraceFile first(first_bytes, "first");
  const TraceFile second(other_bytes, "second");

  const std::string expected_first =
      "session 0 test session;app.exe (500);app.exe+0x40;app.exe+0x20;nt.exe+0x20;nt.exe+0x10 1\n"
      "session 0 test session;app.exe (500);app.exe+0x40;lib.dll+0x40 1\n"
      "session 0 test session;other.exe (600);0x9999 1\n";
  const std::string expected = expected_first +
                               "session 1 other computer;tool.exe (500);tool.exe+0x90;"
                               "tool.exe+0x80 1\n";
  CHECK(profile_of_files({&first, &second}, ProfileFormat::folded) == expected);
  // In order of their starts.
  CHECK(profile_of_files({&second, &first}, ProfileFormat::folded) == expected);
  CHECK_THAT(profile_of_files({&first, &second}, ProfileFormat::text),
             Catch::Contains("session 1 other computer\n\nCPU samples: 1, 1 with a stack"));
  std::istringstream lines(profile_of_files({&first, &second}, ProfileFormat::json));
  std::string line;
  REQUIRE(std::getline(lines, line));
  CHECK(nlohmann::json::parse(line)["samples"] == 3);
  REQUIRE(std::getline(lines, line));
  CHECK(nlohmann::json::parse(line)["session_name"] == "other computer");
  CHECK_THROWS_WITH(profile_of_files({&first, &second}, ProfileFormat::speedscope),
                    Catch::Contains("2 clocks"));
  // A merge tool's files of one clock are one profile.
  const std::vector<std::uint8_t> again = sampled_trace();
  const TraceFile third(again, "third");
  CHECK_THAT(profile_of_files({&first, &third}, ProfileFormat::text),
             Catch::StartsWith("CPU samples: 6,"));
}

// Keys and their meaning: the schema that its "$schema" names.
TEST_CASE("profile: speedscope's format") {
  const auto json = nlohmann::json::parse(profile_of(sampled_trace(), ProfileFormat::speedscope));
  CHECK(json["$schema"] == "https://www.speedscope.app/file-format-schema.json");
  REQUIRE(json["profiles"].size() == 2);
  const auto& frames = json["shared"]["frames"];
  for (const auto& profile : json["profiles"]) {
    CHECK(profile["type"] == "sampled");
    CHECK(profile["samples"].size() == profile["weights"].size());
    int sum = 0;
    for (const auto& weight : profile["weights"]) sum += weight.get<int>();
    CHECK(profile["startValue"] == 0);
    CHECK(profile["endValue"] == sum);
    for (const auto& stack : profile["samples"]) {
      for (const auto& frame : stack) CHECK(frame.get<std::size_t>() < frames.size());
    }
  }
  const auto& stack = json["profiles"][0]["samples"][1];
  CHECK(frames[stack[0].get<std::size_t>()]["name"] == "app.exe+0x40");
  CHECK(frames[stack[1].get<std::size_t>()]["name"] == "lib.dll+0x40");
}

TEST_CASE("profile: the text names processes and images") {
  const std::string text = profile_of(sampled_trace(), ProfileFormat::text);
  CHECK_THAT(text, Catch::Contains("CPU samples: 3, 2 with a stack; stacks of other events: 1"));
  CHECK_THAT(text, Catch::Contains("         2   66.7%  app.exe (500)\n"));
  CHECK_THAT(text, Catch::Contains("         1          1  lib.dll\n"));
}

TEST_CASE("profile: a trace without samples has an empty one") {
  WriterOptions options;
  TraceWriter writer(options);
  const auto bytes = writer.file();
  CHECK_THAT(profile_of(bytes, ProfileFormat::text), Catch::Contains("CPU samples: 0"));
  CHECK(profile_of(bytes, ProfileFormat::folded).empty());
}

TEST_CASE("profile: samples that there is no room to wait with are counted") {
  WriterOptions options;
  options.buffer_bytes = 65536;
  KernelTrace trace(options);
  constexpr std::int64_t kSamples = 2000;
  constexpr std::int64_t kLate = 100;
  for (std::int64_t i = 0; i < kSamples; ++i) {
    trace.add(i, 0x0F2E, ByteBuilder().u64(0x1234).u32(8).u16(1).u8(0).u8(0));
  }
  for (std::int64_t i = 0; i < kSamples; ++i) {
    trace.stack(kSamples + i, i, 500, 8, std::vector<std::uint64_t>(400, 0x1234));
  }
  for (std::int64_t i = 0; i < kLate; ++i) {
    trace.stack(2 * kSamples + i, i, 500, 8, {0x5678});
  }
  const auto json = nlohmann::json::parse(profile_of(trace.file(), ProfileFormat::json));
  CHECK(json["samples_with_stack"] == kSamples);
  // 1,310 such stacks have 524,000 frames; 524,288 may wait: the first ones had to go before their
  // last parts came. Those that had all of theirs by then lack nothing.
  CHECK(json["samples_cut_short"] == kLate);
}
