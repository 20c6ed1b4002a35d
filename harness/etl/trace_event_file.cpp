#include "harness/etl/trace_event_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cerrno>
#include <iterator>
#include <system_error>

#include "harness/base/error.h"
#include "harness/etl/gz_file.h"
#include "harness/etl/value_text.h"

namespace tailgate::etl {
namespace {

constexpr std::size_t kPieceBytes = 256 * 1024;  // compressed and written at once

}  // namespace

TraceEventFile::TraceEventFile(const std::filesystem::path& path, bool replace,
                               std::string_view about)
    : file_(path, replace) {
  // zlib's T writes the bytes as they are.
  const char* mode = path.extension() == ".gz" ? "wb6" : "wbT";
  stream_ = open_gz_file(file_.temporary(), mode);
  if (stream_ == nullptr) fail();
  out_ = fmt::format("{{\"displayTimeUnit\":\"ns\",\"otherData\":{},\"traceEvents\":[", about);
}

TraceEventFile::~TraceEventFile() {
  if (stream_ != nullptr) gzclose(static_cast<gzFile>(stream_));
}

void TraceEventFile::fail() {
  const std::error_code reason(errno != 0 ? errno : EIO, std::generic_category());
  throw Error(fmt::format("cannot write '{}': {}", file_.path().string(), reason.message()),
              reason == std::errc::no_space_on_device
                  ? "free space on its disk, then repeat the command"
                  : "name a file with --out in a folder that exists and that you may write to");
}

void TraceEventFile::flush() {
  errno = 0;
  const int written =
      gzwrite(static_cast<gzFile>(stream_), out_.data(), static_cast<unsigned>(out_.size()));
  if (written != static_cast<int>(out_.size())) fail();
  out_.clear();
}

void TraceEventFile::begin(char phase, const Track& track) {
  out_ += first_ ? "\n" : ",\n";
  first_ = false;
  out_ += "{\"ph\":\"";
  out_ += phase;
  out_ += "\",\"pid\":";
  append_number(std::uint64_t{track.process}, out_);
  if (!track.thread) return;
  out_ += ",\"tid\":";
  append_number(std::uint64_t{*track.thread}, out_);
}

void TraceEventFile::append_time(std::string_view key, std::int64_t ns) {
  out_ += key;
  const auto magnitude =
      ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  if (ns < 0) out_ += '-';
  append_number(magnitude / 1000, out_);
  const auto rest = static_cast<unsigned>(magnitude % 1000);
  out_ += '.';
  for (const unsigned digit : {rest / 100, rest / 10 % 10, rest % 10}) {
    out_ += static_cast<char>('0' + digit);
  }
}

void TraceEventFile::append_label(const TraceLabel& label) {
  out_ += ",\"name\":";
  append_json_string(label.name, out_);
  out_ += ",\"cat\":";
  append_json_string(label.category, out_);
  out_ += ",\"args\":";
  out_ += label.arguments;
}

void TraceEventFile::end() {
  out_ += '}';
  if (out_.size() >= kPieceBytes) flush();
}

void TraceEventFile::instant(const Track& track, std::int64_t time_ns, const TraceLabel& label) {
  begin('i', track);
  out_ += track.thread ? ",\"s\":\"t\"" : ",\"s\":\"p\"";
  append_time(",\"ts\":", time_ns);
  append_label(label);
  end();
}

void TraceEventFile::slice(const Track& track, std::int64_t begin_ns, std::int64_t end_ns,
                           const TraceLabel& label) {
  begin('X', track);
  append_time(",\"ts\":", begin_ns);
  append_time(",\"dur\":", end_ns - begin_ns);
  append_label(label);
  end();
}

void TraceEventFile::span(const Track& track, std::int64_t begin_ns, std::int64_t end_ns,
                          const TraceLabel& label) {
  ++last_id_;
  for (const bool begins : {true, false}) {
    begin(begins ? 'b' : 'e', track);
    fmt::format_to(std::back_inserter(out_), ",\"id\":\"{:#x}\"", last_id_);
    append_time(",\"ts\":", begins ? begin_ns : end_ns);
    append_label({label.name, label.category, begins ? label.arguments : "{}"});
    end();
  }
}

void TraceEventFile::counter(std::uint32_t process, std::int64_t time_ns, std::string_view name,
                             std::string_view value) {
  begin('C', {process, std::nullopt});
  append_time(",\"ts\":", time_ns);
  out_ += ",\"name\":";
  append_json_string(name, out_);
  out_ += ",\"args\":{\"value\":";
  out_ += value;
  out_ += '}';
  end();
}

void TraceEventFile::metadata(std::string_view what, const Track& track) {
  begin('M', track);
  out_ += ",\"name\":\"";
  out_ += what;
  out_ += "\",\"args\":{";
}

void TraceEventFile::name_process(std::uint32_t process, std::string_view name) {
  metadata("process_name", {process, std::nullopt});
  out_ += "\"name\":";
  append_json_string(name, out_);
  out_ += '}';
  end();
}

void TraceEventFile::name_thread(std::uint32_t process, std::uint32_t thread,
                                 std::string_view name) {
  metadata("thread_name", {process, thread});
  out_ += "\"name\":";
  append_json_string(name, out_);
  out_ += '}';
  end();
}

void TraceEventFile::sort_thread(std::uint32_t process, std::uint32_t thread,
                                 std::uint32_t number) {
  metadata("thread_sort_index", {process, thread});
  out_ += "\"sort_index\":";
  append_number(std::uint64_t{number}, out_);
  out_ += '}';
  end();
}

void TraceEventFile::finish() {
  out_ += "\n]}\n";
  flush();
  errno = 0;
  const int closed = gzclose(static_cast<gzFile>(stream_));
  stream_ = nullptr;
  if (closed != Z_OK) fail();
  file_.complete();
}

}  // namespace tailgate::etl
