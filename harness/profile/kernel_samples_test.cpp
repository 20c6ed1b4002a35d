// From the file of a kernel session to samples by role and function. The fixture writer makes the
// files. Layouts: Microsoft's classes SampledProfile (InstructionPointer, ThreadId, Count),
// StackWalk_Event (EventTimeStamp, StackProcess, StackThread, Stack1 …), Process_TypeGroup1,
// Thread_TypeGroup1, Image_Load.
#include "harness/profile/kernel_samples.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "harness/base/testing/test_directory.h"
#include "harness/etl/testing/kernel_trace.h"
#include "harness/profile/profile.h"

namespace tailgate::profile {
namespace {

using etl::ByteBuilder;

constexpr std::uint64_t kKernel = 0xFFFFF80000000000;
constexpr std::uint64_t kApp = 0x10000;
constexpr std::uint64_t kLib = 0x7FF600000000;
constexpr std::uint32_t kProvider = 500;
constexpr std::uint32_t kDaemon = 600;
constexpr std::uint32_t kLoad = 8;
constexpr std::int64_t kStartRaw = 10'000'000;  // one second of the performance counter
constexpr std::uint64_t kStartNs = 1'000'000'000;

// Names functions by blocks of 0x100 bytes; nothing beyond 0x300.
class BlockNames : public etl::ImageNames {
 public:
  std::string function_at(const std::string& path, std::uint64_t size_bytes,
                          std::uint64_t offset) override {
    CHECK(size_bytes == 0x1000);
    asked.insert(path);
    return offset < 0x300 ? "f" + std::to_string(offset / 0x100) : "";
  }
  std::set<std::string> asked;
};

class Session {
 public:
  Session() {
    trace.image(0, 0, kKernel, 0x1000, "\\SystemRoot\\nt.exe");
    trace.image(0, kProvider, kApp, 0x1000, "\\Device\\Disk1\\app.exe");
    trace.image(0, kDaemon, kApp, 0x1000, "\\Device\\Disk1\\daemon.exe");
    trace.image(0, kProvider, kLib, 0x1000, "\\Device\\Disk1\\lib.dll");
  }

  void sample(std::int64_t time_us, std::uint64_t address, std::uint32_t thread,
              unsigned count = 1) {
    trace.add(time_us, 0x0F2E, ByteBuilder().u64(address).u32(thread).u16(count).u16(0));
  }
  void thread(std::int64_t time_us, std::uint32_t process, std::uint32_t id) {
    trace.add(time_us, 0x0503, ByteBuilder().u32(process).u32(id));
  }
  void starts(std::int64_t time_us, std::uint32_t process, std::uint32_t parent) {
    trace.add(time_us, 0x0301,
              ByteBuilder()
                  .u64(1)
                  .u32(process)
                  .u32(parent)
                  .u32(0)
                  .u32(0)
                  .u32(0)
                  .text8("child.exe")
                  .text16(""));
  }

  Samples read(KernelSamplesFile file = {}) {
    const TestDirectory folder;
    file.path = folder.path() / "samples.etl";
    file.start_ns = file.start_ns == 0 ? kStartNs - 1000 : file.start_ns;
    file.end_ns = file.start_ns + 10'000'000;
    file.rate_hz = 997;
    const std::vector<std::uint8_t> bytes = trace.file();
    std::ofstream(file.path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    return read_kernel_samples(
        file,
        {.load = {kLoad},
         .processes = {{kProvider, SampledRole::provider}, {kDaemon, SampledRole::daemons}}},
        names);
  }

  etl::WriterOptions options{.start_raw = kStartRaw};
  etl::KernelTrace trace{options};
  BlockNames names;
};

// "f1@app.exe f0@app.exe", from the function that ran outwards.
std::string text_of(const Samples& samples, const StackSample& sample) {
  std::string text;
  for (const std::uint32_t function : sample.functions) {
    const ProfiledFunction& one = samples.functions.functions().at(function);
    text += (text.empty() ? "" : " ") + one.name + "@" + one.module;
  }
  return text;
}

TEST_CASE("samples of a kernel session have times, roles, and named stacks", "[profile]") {
  Session session;
  session.thread(0, kDaemon, 60);
  session.sample(100, kKernel + 0x10, kLoad);
  session.trace.stack(101, 100, kProvider, kLoad, {kKernel + 0x10, kKernel + 0x110});
  session.trace.stack(150, 100, kProvider, kLoad, {kLib + 0x20, kApp + 0x100, kApp + 0x310});
  session.sample(200, kApp + 0x250, 9);  // another thread of the provider's
  session.trace.stack(201, 200, kProvider, 9, {kApp + 0x250});
  session.sample(300, kApp + 0x250, 60, 2);  // no stack; two ticks
  session.sample(400, 0x9999, kLoad);        // in no image
  session.trace.stack(401, 400, kProvider, kLoad, {0x9999, kKernel + 0x5000});
  session.sample(500, kApp, 77);  // of another process
  session.trace.stack(501, 500, 700, 77, {kApp});
  const Samples samples = session.read();
  CHECK(samples.method == "cpu_clock");
  CHECK(samples.callers == "kernel_walk");
  CHECK(samples.rate_hz == 997);
  CHECK(samples.kernel);
  CHECK(samples.lost == 0);
  CHECK(samples.limits.empty());
  REQUIRE(samples.list.size() == 5);
  const auto& list = samples.list;
  CHECK(list[0].time_ns == kStartNs + 100'000);
  CHECK(list[0].role == SampledRole::load);
  CHECK(list[0].cpu == 0);
  CHECK_FALSE(list[0].cut);
  // A return address belongs to the call before it: 0x100 is behind the end of f0.
  CHECK(text_of(samples, list[0]) == "f0@nt.exe f1@nt.exe f0@lib.dll f0@app.exe [app.exe]@app.exe");
  CHECK(list[1].role == SampledRole::provider);
  CHECK(text_of(samples, list[1]) == "f2@app.exe");
  CHECK(list[2].role == SampledRole::daemons);
  CHECK(list[2].cut);
  CHECK(text_of(samples, list[2]) == "f2@daemon.exe");
  CHECK(list[3].time_ns == list[2].time_ns);
  CHECK(text_of(samples, list[4]) == "[?]@? [kernel]@kernel");
  CHECK(list[4].cut);  // it ends in the kernel
  CHECK(session.names.asked.contains("\\Device\\Disk1\\lib.dll"));
  CHECK(session.names.asked.contains("\\SystemRoot\\nt.exe"));
}

TEST_CASE("what a sampled process starts has its role, until its id is used again", "[profile]") {
  Session session;
  const auto sampled = [&](std::int64_t time_us, std::uint32_t process, std::uint32_t thread) {
    session.sample(time_us, 0x50, thread);
    session.trace.stack(time_us + 1, time_us, process, thread, {0x50});
  };
  sampled(100, 610, 61);  // not started yet
  session.starts(200, 610, kDaemon);
  sampled(300, 610, 61);
  session.starts(400, 611, 610);
  sampled(500, 611, 62);
  session.starts(600, kDaemon, 4);  // the daemon has ended: this is another program
  sampled(700, kDaemon, 63);
  session.starts(800, 612, kDaemon);
  sampled(900, 612, 64);
  const Samples samples = session.read();
  REQUIRE(samples.list.size() == 2);
  CHECK(samples.list[0].thread == 61);
  CHECK(samples.list[0].time_ns == kStartNs + 300'000);
  CHECK(samples.list[1].thread == 62);
}

TEST_CASE("the longest stacks that Windows records are cut", "[profile]") {
  Session session;
  session.sample(100, kApp, kLoad);
  session.trace.stack(101, 100, kProvider, kLoad, std::vector<std::uint64_t>(191, kApp));
  session.sample(200, kApp, kLoad);
  session.trace.stack(201, 200, kProvider, kLoad, std::vector<std::uint64_t>(192, kApp));
  const Samples samples = session.read();
  REQUIRE(samples.list.size() == 2);
  CHECK_FALSE(samples.list[0].cut);
  CHECK(samples.list[1].cut);
}

TEST_CASE("a kernel session's samples become a profile with the functions of slow calls",
          "[profile]") {
  Session session;
  session.sample(100, kApp + 0x10, kLoad);
  session.trace.stack(101, 100, kProvider, kLoad, {kApp + 0x10, kApp + 0x210});
  session.sample(200, kApp + 0x110, kLoad);
  session.trace.stack(201, 200, kProvider, kLoad, {kApp + 0x110, kApp + 0x210});
  Explanation explanation;
  ExplainedTail tail;
  tail.measure = "service";
  tail.threshold_ns = 1000;
  explanation.tails.push_back(tail);
  const Profile profile = make_profile(session.read(), explanation,
                                       {.begin_ns = kStartNs,
                                        .end_ns = kStartNs + 1'000'000,
                                        .threads = {kLoad},
                                        .slowest = {{.thread = 0,
                                                     .sequence = 1,
                                                     .intended_ns = kStartNs + 150'000,
                                                     .start_ns = kStartNs + 150'000,
                                                     .end_ns = kStartNs + 250'000}}});
  REQUIRE(profile.roles.size() == 1);
  CHECK(profile.roles[0].samples == 2);
  CHECK(profile.roles[0].cut_stacks == 0);
  REQUIRE(profile.tails.size() == 1);
  REQUIRE(profile.tails[0].functions.size() == 1);
  CHECK(profile.functions.at(profile.tails[0].functions[0].function).name == "f1");
}

TEST_CASE("losses and another clock are said", "[profile]") {
  Session session;
  session.sample(100, kApp, kLoad);
  const Samples lossy = session.read({.ended_early = true, .events_lost = 3, .buffers_lost = 2});
  CHECK(lossy.lost == 3);
  CHECK_THAT(lossy.limits, Catch::Contains("of any kind") && Catch::Contains("ended early") &&
                               Catch::Contains("2 buffers"));
  CHECK_THROWS_WITH(session.read({.start_ns = 20'000'000'000'000}),
                    Catch::Contains("not the run clock"));
}

}  // namespace
}  // namespace tailgate::profile
