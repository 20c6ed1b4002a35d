// A file in the Trace Event Format (Google's document of that name; Perfetto lists it among the
// formats that it imports), written event by event. Times are microseconds with three decimals, so
// that nanoseconds survive. A file whose name ends in .gz is compressed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "harness/etl/new_file.h"

namespace tailgate::etl {

// Where an event is shown: a thread of a process, or the process itself.
struct Track {
  std::uint32_t process = 0;
  std::optional<std::uint32_t> thread;
};

// What an event is called. arguments: a JSON object.
struct TraceLabel {
  std::string_view name;
  std::string_view category;
  std::string_view arguments = "{}";
};

class TraceEventFile {
 public:
  // Throws Error when the file exists and may not be replaced, and when it cannot be written.
  // about: a JSON object on the trace as a whole.
  TraceEventFile(const std::filesystem::path& path, bool replace, std::string_view about);
  ~TraceEventFile();
  TraceEventFile(const TraceEventFile&) = delete;
  TraceEventFile& operator=(const TraceEventFile&) = delete;

  void instant(const Track& track, std::int64_t time_ns, const TraceLabel& label);
  // The slices of one track must be disjoint or nested.
  void slice(const Track& track, std::int64_t begin_ns, std::int64_t end_ns,
             const TraceLabel& label);
  // May overlap others of its track.
  void span(const Track& track, std::int64_t begin_ns, std::int64_t end_ns,
            const TraceLabel& label);
  // A value of a process, as JSON.
  void counter(std::uint32_t process, std::int64_t time_ns, std::string_view name,
               std::string_view value);
  void name_process(std::uint32_t process, std::string_view name);
  void name_thread(std::uint32_t process, std::uint32_t thread, std::string_view name);
  // Tracks of lower numbers are shown first.
  void sort_thread(std::uint32_t process, std::uint32_t thread, std::uint32_t number);

  // Completes the file, which has its name from then on. Throws Error.
  void finish();

 private:
  void begin(char phase, const Track& track);
  void append_time(std::string_view key, std::int64_t ns);
  void append_label(const TraceLabel& label);
  void end();
  void metadata(std::string_view what, const Track& track);
  void flush();
  [[noreturn]] void fail();

  NewFile file_;
  void* stream_ = nullptr;  // zlib's, which may be a plain file
  std::string out_;
  std::uint64_t last_id_ = 0;
  bool first_ = true;
};

}  // namespace tailgate::etl
