#include "harness/etl/symbols.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/base/error.h"
#include "harness/base/testing/test_directory.h"
#include "harness/etl/pdb_dump.h"
#include "harness/etl/profile.h"
#include "harness/etl/stacks.h"
#include "harness/etl/testing/trace_writer.h"
#include "harness/os/process.h"

using namespace tailgate;
using namespace tailgate::etl;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kApp = 0x10000;
constexpr std::uint64_t kLib = 0x20000;
const Guid kAppGuid = *parse_guid("ceb225c0-769f-1f9d-4c4c-44205044422e");
const Guid kImageIdClass = *parse_guid("b3e675d7-2554-4f18-830b-2762732560de");
constexpr const char* kAppId = "CEB225C0769F1F9D4C4C44205044422E1";

void write(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::vector<char> bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct AppImage {
  Guid guid = kAppGuid;
  std::uint32_t age = 1;
  std::string pdb = "C:\\build\\App.pdb";
};

// Process 500 runs app.exe, whose PDB the trace names, and lib.dll, whose it does not. Each stack,
// innermost address first, is sampled once.
std::vector<std::uint8_t> trace_of(const std::vector<std::vector<std::uint64_t>>& stacks,
                                   const AppImage& app = {}) {
  WriterOptions options;
  options.buffer_bytes = 65536;
  TraceWriter writer(options);
  std::int64_t time = options.start_raw;
  const auto kernel = [&](std::uint16_t hook, const ByteBuilder& payload) {
    KernelRecord record;
    record.hook_id = hook;
    record.time = ++time;
    record.payload = payload.bytes();
    writer.add(0, perf_info_record(record));
    return time;
  };
  const auto image = [&](std::uint64_t base, std::string_view name) {
    ByteBuilder b;
    b.u64(base).u64(0x8000).u32(500).zeros(12).u64(0).zeros(16);
    kernel(0x1403, b.text16(name));
  };
  image(kApp, "\\Device\\x\\app.exe");
  image(kLib, "\\Device\\x\\lib.dll");
  ClassicRecord rsds;
  rsds.event_class = kImageIdClass;
  rsds.opcode = 36;
  rsds.version = 2;
  rsds.time = ++time;
  rsds.payload =
      ByteBuilder().u64(kApp).u32(500).guid(app.guid).u32(app.age).text8(app.pdb).bytes();
  writer.add(0, full_record(rsds));
  for (const auto& stack : stacks) {
    const auto sampled = kernel(0x0F2E, ByteBuilder().u64(stack[0]).u32(8).u16(1).u8(0).u8(0));
    ByteBuilder b;
    b.u64(static_cast<std::uint64_t>(sampled)).u32(500).u32(8);
    for (std::uint64_t address : stack) b.u64(address);
    kernel(0x1820, b);
  }
  return writer.file();
}

struct Reported {
  std::string text;
  std::string unused;
};

Reported report(const std::vector<std::uint8_t>& bytes, const fs::path& symbols,
                ProfileFormat format) {
  const TraceFile file(bytes, "test");
  Reported reported;
  reported.unused = report_profile({&file}, {format, 20, symbols}, [&](std::string_view text) {
    reported.text += text;
    return true;
  });
  return reported;
}

nlohmann::json json_of(const std::vector<std::uint8_t>& bytes, const fs::path& symbols) {
  return nlohmann::json::parse(report(bytes, symbols, ProfileFormat::json).text);
}

std::string app_text(const std::string& id) {
  return "MODULE windows x86_64 " + id +
         " app.pdb\nFUNC 1000 100 0 main\nFUNC 1100 80 0 work;all\nPUBLIC 1200 0 tail\n";
}

// main calls work, which is sampled at two addresses; lib.dll calls back; and code without an
// image, from 0x7f0000 on.
std::vector<std::uint8_t> app_trace() {
  return trace_of({{kApp + 0x1100, kApp + 0x1010},
                   {kApp + 0x1170, kApp + 0x1020},
                   {kLib + 0x10, kApp + 0x1010},
                   {kApp + 0x1190, kApp + 0x1010},
                   {0x7f0018, kApp + 0x1010}});
}

}  // namespace

TEST_CASE("symbols: functions from Breakpad's texts and perf maps, in every format") {
  const TestDirectory directory;
  const fs::path symbols = directory.path();
  // As a symbol server lays them out; case is another one than the trace's.
  write(symbols / "app.pdb" / "ceb225c0769f1f9d4c4c44205044422e1" / "app.sym", app_text(kAppId));
  write(symbols / "perf-500.map", "7f0000 20 jitted code\n");
  const auto trace = app_trace();
  const auto json = json_of(trace, symbols);
  const auto& process = json["processes"][0];
  CHECK(process["functions"] == nlohmann::json::parse(R"([
      {"name":"app.exe!work;all","exclusive":2,"inclusive":2},
      {"name":"app.exe","exclusive":1,"inclusive":1},
      {"name":"lib.dll","exclusive":1,"inclusive":1},
      {"name":"jitted code","exclusive":1,"inclusive":1},
      {"name":"app.exe!main","exclusive":0,"inclusive":5}])"));
  CHECK(process["images"][0] ==
        nlohmann::json{{"name", "app.exe"}, {"exclusive", 3}, {"inclusive", 5}});
  std::map<std::string, std::string> states;
  for (const auto& one : json["symbols"]) states[one["image"]] = one["state"];
  CHECK(states == std::map<std::string, std::string>{
                      {"app.exe", "found"}, {"lib.dll", "unknown"}, {"unknown", "found"}});
  CHECK(json["symbols"][0]["samples"] == 5);
  CHECK(json["symbols"][0]["id"] == kAppId);

  CHECK(report(trace, symbols, ProfileFormat::folded).text ==
        "unknown (500);app.exe!main;app.exe!work:all 2\n"
        "unknown (500);app.exe!main;lib.dll+0x10 1\n"
        "unknown (500);app.exe!main;app.exe+0x1190 1\n"
        "unknown (500);app.exe!main;jitted code 1\n");

  const auto scope = nlohmann::json::parse(report(trace, symbols, ProfileFormat::speedscope).text);
  const auto& frames = scope["shared"]["frames"];
  const auto& profile = scope["profiles"][0];
  REQUIRE(profile["samples"].size() == 4);
  CHECK(profile["weights"] == nlohmann::json{2, 1, 1, 1});
  CHECK(frames[profile["samples"][0][1].get<std::size_t>()]["name"] == "app.exe!work;all");

  const Reported text = report(trace, symbols, ProfileFormat::text);
  CHECK(text.unused.empty());
  CHECK_THAT(text.text, Catch::Contains("         0          5  app.exe!main\n"));
  CHECK_THAT(text.text, Catch::Contains("         5  found       app.exe (App.pdb " +
                                        std::string(kAppId) + ")\n"));
}

TEST_CASE("symbols: mangled names are shown as they are written in C++") {
  const TestDirectory directory;
  const fs::path symbols = directory.path();
  write(symbols / "app.sym", "MODULE windows x86_64 " + std::string(kAppId) +
                                 " app.pdb\nPUBLIC 1000 0 ?run@app@@YAXH@Z\n"
                                 "PUBLIC 1100 0 _ZN3app4workEi\n");
  const auto trace = trace_of({{kApp + 0x1100, kApp + 0x1010}});
  const std::string run = find_program("llvm-undname") ? "app::run(int)" : "?run@app@@YAXH@Z";
  CHECK(report(trace, symbols, ProfileFormat::folded).text ==
        "unknown (500);app.exe!" + run + ";app.exe!app::work(int) 1\n");
}

TEST_CASE("symbols: names that grow when they are demangled stay within 16 MB") {
  const TestDirectory directory;
  std::string text = "MODULE windows x86_64 " + std::string(kAppId) + " app.pdb\n";
  std::vector<std::vector<std::uint64_t>> stacks;
  for (unsigned i = 0; i < 5000; ++i) {
    // Each type holds the one before twice: 80 bytes become 4,300.
    std::string name = "_Z5f" + std::to_string(1000 + i) + "1TIiiE";
    for (char part = '0'; part <= '6'; ++part) {
      name += std::string("S_IS") + part + "_S" + part + "_E";
    }
    const unsigned address = 0x1000 + 4 * i;
    std::ostringstream line;
    line << "PUBLIC " << std::hex << address << " 0 " << name << '\n';
    text += line.str();
    stacks.push_back({kApp + address});
  }
  write(directory.path() / "app.sym", text);
  const Reported folded = report(trace_of(stacks), directory.path(), ProfileFormat::folded);
  CHECK(folded.text.size() > (16u << 20));
  CHECK(folded.text.size() < (17u << 20));
  CHECK_THAT(folded.unused, Catch::Contains("functions' names take more than 16 MB"));
}

TEST_CASE("symbols: those of another build are refused, with the samples concerned") {
  const TestDirectory directory;
  const std::string other = "CEB225C0769F1F9D4C4C44205044422E2";
  write(directory.path() / "app.sym", app_text(other));
  const Reported refused = report(app_trace(), directory.path(), ProfileFormat::json);
  const auto json = nlohmann::json::parse(refused.text);
  CHECK(json["symbols"][0]["state"] == "refused");
  CHECK_THAT(refused.unused,
             Catch::Contains("app.sym refused: its id is " + other + ", the trace has " + kAppId +
                                 " (app.exe, 5 samples)\n",
                             Catch::CaseSensitive::No));  // as file systems are
  for (const auto& one : json["processes"][0]["functions"]) {
    CHECK(one["name"].get<std::string>().find('!') == std::string::npos);
  }
  // The right ones are taken wherever they are.
  write(directory.path() / "App.pdb" / kAppId / "App.sym", app_text(kAppId));
  CHECK(json_of(app_trace(), directory.path())["symbols"][0]["state"] == "found");
}

TEST_CASE("symbols: files that cannot be read say why, and a folder must be one") {
  const TestDirectory directory;
  CHECK(json_of(app_trace(), directory.path())["symbols"][0]["state"] == "missing");
  write(directory.path() / "app.sym", "no symbols");
  write(directory.path() / "APP.PDB", "no PDB");
  const Reported unreadable = report(app_trace(), directory.path(), ProfileFormat::json);
  CHECK(nlohmann::json::parse(unreadable.text)["symbols"][0]["state"] == "unreadable");
  CHECK_THAT(unreadable.unused, Catch::Contains("5 samples"));
  CHECK_THROWS_AS(json_of(app_trace(), directory.path() / "none"), Error);
}

TEST_CASE("symbols: names beyond 16 MB are left out, which the report says") {
  const TestDirectory directory;
  constexpr std::uint64_t kNameBytes = 1000;
  std::string text = "MODULE windows x86_64 " + std::string(kAppId) + " app.pdb\n";
  std::vector<std::vector<std::uint64_t>> stacks(17);
  for (std::uint64_t i = 0; i < 17'000; ++i) {
    std::ostringstream name;
    name << std::hex << i << " 0 n" << i;
    text += "PUBLIC " + name.str();
    text += std::string(kNameBytes - (name.str().size() - name.str().find('n')), '_') + "\n";
    stacks[i / 1000].push_back(kApp + i);
  }
  write(directory.path() / "app.sym", text);
  const auto symbols = json_of(trace_of(stacks), directory.path())["symbols"][0];
  CHECK(symbols["state"] == "found");
  // 16,777 such names fit.
  CHECK(symbols["why"] == "223 addresses have no name: functions' names take more than 16 MB");
}

TEST_CASE("symbols: a PDB's name in a trace leads nowhere else") {
  const TestDirectory directory;
  write(directory.path() / "in" / "x", "");
  write(directory.path() / "app.sym", app_text(kAppId));
  for (const char* name : {"..", ".", "", "C:\\", "..\\app.pdb/..", "a\x01"}) {
    AppImage app;
    app.pdb = name;
    const auto json = json_of(trace_of({{kApp + 0x1100}}, app), directory.path() / "in");
    CHECK(json["symbols"][0]["state"] != "found");
  }
}

namespace {

// Whether those that write and read PDBs are there.
bool has_programs() {
  for (const char* program : {"clang", "lld", "llvm-pdbutil"}) {
    if (find_program(program)) continue;
    WARN("skipped: " << program << " is not in PATH");
    return false;
  }
  return true;
}

// Runs a program that a test needs.
bool runs(const std::string& name, const std::vector<std::string>& arguments,
          const fs::path& output) {
  ChildOptions options;
  options.program = *find_program(name);
  options.arguments = arguments;
  options.output = output;
  const auto end = Child::start(options).wait_for(std::chrono::seconds(60));
  return end && end->exited && end->code == 0;
}

// The guid and age of the linker's record in a DLL: "RSDS", GUID, age.
AppImage linked_id(const fs::path& dll) {
  const std::vector<char> bytes = bytes_of(dll);
  const std::string text(bytes.begin(), bytes.end());
  const std::size_t at = text.find("RSDS");
  REQUIRE(at != std::string::npos);
  REQUIRE(at + 24 <= text.size());
  AppImage image;
  std::memcpy(image.guid.bytes.data(), text.data() + at + 4, 16);
  std::memcpy(&image.age, text.data() + at + 20, 4);
  image.pdb = "a.pdb";
  return image;
}

// A function's offset in the image, from the linker's map: "0001:00000010 f 0000000180001010".
std::uint64_t mapped_offset(const fs::path& map, const std::string& function) {
  constexpr std::uint64_t kLoadAddress = 0x1'8000'0000;
  std::ifstream in(map);
  std::string place;
  std::string name;
  std::string address;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    if (words >> place >> name >> address && name == function) {
      return std::stoull(address, nullptr, 16) - kLoadAddress;
    }
  }
  FAIL("the map has no " << function);
  return 0;
}

}  // namespace

TEST_CASE("symbols: the text of a PDB has nothing of the one before") {
  if (!has_programs()) return;
  const TestDirectory directory;
  for (const char* name : {"a", "b"}) {
    const fs::path at = directory.path() / name;
    write(at.string() + ".yaml", "---\nPdbStream:\n  Age: 1\n  Guid: '{" +
                                     std::string(name[0] == 'a' ? "1" : "2") +
                                     "1111111-2222-3333-4444-555555555555}'\n  Version: VC70\n"
                                     "DbiStream:\n  VerHeader: V70\n...\n");
    REQUIRE(runs("llvm-pdbutil",
                 {"yaml2pdb", "-pdb=" + at.string() + ".pdb", at.string() + ".yaml"},
                 directory.path() / "yaml2pdb.txt"));
  }
  PdbDump dump;
  const auto text_of = [&](const char* name) {
    const auto file = dump.publics_of(directory.path() / name);
    const auto bytes = file->bytes();
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  CHECK_THAT(text_of("a.pdb"), Catch::Contains("{11111111-"));
  const std::string second = text_of("b.pdb");
  CHECK_THAT(second, Catch::Contains("{21111111-"));
  CHECK_THAT(second, !Catch::Contains("{11111111-"));
}

TEST_CASE("symbols: functions from a PDB that a linker wrote") {
  if (!has_programs()) return;
  const TestDirectory directory;
  const fs::path at = directory.path();
  write(at / "a.c",
        "int inner(int x) { return x * 3; }\nint middle(int x) { return inner(x) + 1; }\n"
        "int entry(void) { return middle(2); }\n");
  REQUIRE(runs("clang",
               {"--target=x86_64-pc-windows-msvc", "-g", "-gcodeview", "-c", (at / "a.c").string(),
                "-o", (at / "a.obj").string()},
               at / "clang.txt"));
  REQUIRE(runs("lld",
               {"-flavor", "link", "/nodefaultlib", "/entry:entry", "/debug", "/dll",
                "/map:" + (at / "a.map").string(), "/out:" + (at / "a.dll").string(),
                "/pdb:" + (at / "a.pdb").string(), (at / "a.obj").string()},
               at / "link.txt"));
  AppImage app = linked_id(at / "a.dll");
  const std::uint64_t inner = mapped_offset(at / "a.map", "inner");
  const std::uint64_t middle = mapped_offset(at / "a.map", "middle");
  const std::vector<std::vector<std::uint64_t>> stacks = {
      {kApp + inner, kApp + middle + 9, kApp + mapped_offset(at / "a.map", "entry") + 9},
      {kApp + middle - 1}};
  const Reported folded = report(trace_of(stacks, app), at, ProfileFormat::folded);
  CHECK(folded.unused.empty());
  CHECK(folded.text ==
        "unknown (500);app.exe!entry;app.exe!middle;app.exe!inner 1\n"
        "unknown (500);app.exe!inner 1\n");
  // An image that is newer than the PDB, and one of another build.
  app.age += 1;
  CHECK(json_of(trace_of(stacks, app), at)["symbols"][0]["state"] == "refused");
  app.age -= 1;
  app.guid.bytes[0] ^= 1;
  CHECK(json_of(trace_of(stacks, app), at)["symbols"][0]["state"] == "refused");
}

TEST_CASE("symbols: stacks of any events have functions, too", "[etl]") {
  const TestDirectory folder;
  const std::vector<std::uint8_t> bytes = app_trace();
  const TraceFile file(bytes, "test");
  Decoder decoder;
  std::string text;
  const auto stacks_of = [&](const fs::path& symbols) {
    text.clear();
    return report_stacks({&file}, decoder, {}, {StacksFormat::folded, 20, symbols},
                         [&](std::string_view piece) {
                           text += piece;
                           return true;
                         });
  };
  write(folder.path() / "app.sym", app_text(kAppId));
  CHECK(stacks_of(folder.path()).empty());
  INFO(text);
  // Two samples in one function are one stack.
  CHECK_THAT(text, Catch::Contains(";app.exe!main;app.exe!work,all;") && Catch::Contains(" 2\n"));
  CHECK_THAT(text, Catch::Contains("lib.dll+0x10;"));
  CHECK(text.find('\x01') == std::string::npos);
  write(folder.path() / "app.sym", app_text(std::string(32, '0') + "1"));
  // Windows' names may be in either case.
  CHECK_THAT(stacks_of(folder.path()),
             Catch::Contains("app.sym refused: its id is", Catch::CaseSensitive::No));
  CHECK_THAT(text, Catch::Contains("app.exe+0x1100"));
  CHECK_THROWS_WITH(stacks_of(folder.path() / "none"), Catch::Contains("is no folder"));
}
