// Event logs: .evtx by libevtx, XML in both encodings, and the traces that are made of them.
// Input: a file's bytes.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <system_error>

#include "harness/base/error.h"
#include "harness/etl/decoder.h"
#include "harness/etl/event_log.h"
#include "harness/etl/report.h"

using namespace tailgate::etl;

namespace {

// libevtx reads files, so the bytes become one; it is overwritten each time.
struct InputFile {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() /
      ("tailgate-event-log-fuzz-" + std::to_string(std::random_device()()));
  ~InputFile() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
};

}  // namespace

// libevtx (20181227-2+b2) loses memory of some damaged records, though they are freed. So leaks
// of what it allocates are no findings here.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libevtx.so";
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const InputFile kFile;
  std::ofstream(kFile.path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  if (!is_event_log(kFile.path)) return 0;
  try {
    const EventLogTrace log(kFile.path, nullptr);
    Decoder decoder;
    DumpOptions options;
    options.format = DumpFormat::json_lines;
    dump_events({&log.file()}, decoder, options, [](std::string_view) { return true; });
  } catch (const tailgate::Error&) {
    // It was refused with a reason.
  }
  return 0;
}
