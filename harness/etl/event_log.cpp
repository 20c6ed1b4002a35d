#include "harness/etl/event_log.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

#include "harness/base/error.h"
#include "harness/etl/buffer.h"
#include "harness/etl/container.h"
#include "harness/etl/event_log_record.h"
#include "harness/etl/no_processor.h"
#include "harness/os/remove_folder.h"

namespace tailgate::etl {
namespace {

// Room for the longest record.
constexpr std::size_t kLogBufferBytes = 128u << 10;

void put(std::uint64_t value, unsigned size, std::string& out) {
  for (unsigned i = 0; i < size; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
}

void put_utf16(std::string_view ascii, std::string& out) {
  for (const char c : ascii) put(static_cast<unsigned char>(c), 2, out);
  put(0, 2, out);
}

// A buffer with its header, as buffer.h reads it.
std::string whole_buffer(const std::string& records, std::uint64_t sequence, BufferType type) {
  const std::size_t filled = kBufferHeaderBytes + records.size();
  std::string out;
  put(kLogBufferBytes, 4, out);
  put(filled, 4, out);
  put(filled, 4, out);
  out.append(12, '\0');
  put(sequence, 8, out);
  out.append(8, '\0');
  put(kNoProcessor, 2, out);
  put(0, 2, out);
  put(0, 4, out);
  put(filled, 4, out);
  put(kProcessorIndexIs16Bit, 2, out);
  put(static_cast<unsigned>(type), 2, out);
  out.resize(kBufferHeaderBytes, '\0');
  out += records;
  out.resize(kLogBufferBytes, '\xFF');
  return out;
}

[[noreturn]] void fail_to_write(const std::filesystem::path& path) {
  throw Error("cannot write '" + path.string() + "'",
              "free space among the temporary files, or set TMPDIR to a folder that has some");
}

}  // namespace

struct EventLogWriter::Output {
  std::filesystem::path path;
  std::ofstream stream;
};

EventLogWriter::EventLogWriter(const std::filesystem::path& path, const LogFileHeader* beside)
    : output_(std::make_unique<Output>(Output{path, std::ofstream(path, std::ios::binary)})),
      own_clock_(beside == nullptr) {
  if (beside != nullptr) {
    clock_ = *beside;
  } else {
    clock_.clock_type = ClockType::system_time;
    clock_.clock_hz = kFiletimeTicksPerSecond;
  }
  clock_.mode = kModeSequential | kModeNoPerProcessorBuffering;
  // The header is written in the end.
  output_->stream << std::string(kLogBufferBytes, '\0');
}

EventLogWriter::~EventLogWriter() = default;

std::int64_t EventLogWriter::raw_of(std::int64_t filetime) const {
  if (clock_.clock_type == ClockType::system_time) return filetime;
  const std::int64_t hz = SessionClock(clock_).ticks_per_second();
  // A trace's clock may be any.
  constexpr double kMax = 9.2e18;
  const auto apart = static_cast<double>(filetime) - static_cast<double>(clock_.start_filetime);
  const double apart_raw = apart * (static_cast<double>(hz) / kFiletimeTicksPerSecond);
  const double raw = apart_raw + static_cast<double>(clock_.start_raw);
  const bool possible = std::abs(raw) < kMax && std::abs(apart_raw) < kMax &&
                        std::abs(apart) < kMax &&
                        std::abs(static_cast<double>(hz)) < kMax / kFiletimeTicksPerSecond;
  if (!possible) return raw < 0 ? -1 : std::numeric_limits<std::int64_t>::max();
  const std::int64_t ticks = filetime - clock_.start_filetime;
  return clock_.start_raw + ticks / kFiletimeTicksPerSecond * hz +
         ticks % kFiletimeTicksPerSecond * hz / kFiletimeTicksPerSecond;
}

bool EventLogWriter::add(std::string_view xml) {
  auto record = event_log_record(xml);
  if (!record) return false;
  add_record(record->filetime, record->bytes);
  return true;
}

void EventLogWriter::add_record(std::int64_t filetime, const std::string& record) {
  if (kBufferHeaderBytes + buffer_.size() + align8(record.size()) > kLogBufferBytes) flush();
  const std::size_t at = buffer_.size();
  buffer_ += record;
  const std::int64_t raw = raw_of(filetime);
  std::memcpy(buffer_.data() + at + kRecordTimeAt, &raw, sizeof raw);
  buffer_.resize(align8(buffer_.size()), '\0');
  first_ = events_ == 0 ? filetime : std::min(first_, filetime);
  last_ = events_ == 0 ? filetime : std::max(last_, filetime);
  ++events_;
}

void EventLogWriter::flush() {
  output_->stream << whole_buffer(buffer_, ++buffers_, BufferType::generic);
  if (!output_->stream) fail_to_write(output_->path);
  buffer_.clear();
}

// A SYSTEM64 record with hook id 0 and TRACE_LOGFILE_HEADER, as log_header.h reads it.
std::string EventLogWriter::header_buffer() const {
  std::string payload;
  put(kLogBufferBytes, 4, payload);
  put(0x05010000 | clock_.os_minor << 8 | clock_.os_major, 4, payload);
  put(clock_.os_build, 4, payload);
  put(1, 4, payload);
  put(static_cast<std::uint64_t>(last_), 8, payload);
  put(0, 4, payload);
  put(0, 4, payload);
  put(clock_.mode, 4, payload);
  put(buffers_ + 1, 4, payload);
  put(1, 4, payload);
  put(8, 4, payload);
  put(0, 4, payload);
  put(clock_.cpu_mhz, 4, payload);
  payload.append(16 + TimeZone::kBytes + 4, '\0');  // two pointers, UTC, padding
  put(static_cast<std::uint64_t>(clock_.boot_filetime), 8, payload);
  put(static_cast<std::uint64_t>(clock_.clock_hz), 8, payload);
  put(static_cast<std::uint64_t>(own_clock_ ? first_ : clock_.start_filetime), 8, payload);
  put(static_cast<unsigned>(clock_.clock_type), 4, payload);
  put(0, 4, payload);
  put_utf16("event log", payload);
  put_utf16("", payload);
  std::string record;
  put(2, 2, record);
  put(0xC002, 2, record);
  put(0x20 + payload.size(), 2, record);
  put(0, 2, record);
  put(RecordHeader::kNoId, 4, record);
  put(RecordHeader::kNoId, 4, record);
  put(static_cast<std::uint64_t>(own_clock_ ? first_ : clock_.start_raw), 8, record);
  put(0, 8, record);
  record += payload;
  record.resize(align8(record.size()), '\0');
  return whole_buffer(record, 0, BufferType::header);
}

void EventLogWriter::finish() {
  if (!buffer_.empty()) flush();
  output_->stream.seekp(0);
  output_->stream << header_buffer();
  output_->stream.close();
  if (!output_->stream) fail_to_write(output_->path);
}

EventLogTrace::EventLogTrace(const std::filesystem::path& path, const LogFileHeader* beside)
    : folder_(new_temporary_folder()) {
  try {
    const std::filesystem::path made = folder_ / "events.etl";
    EventLogWriter writer(made, beside);
    const EventXmlSink sink = [&](std::string_view xml) { unreadable_ += writer.add(xml) ? 0 : 1; };
    std::array<char, 7> head{};
    std::ifstream(path, std::ios::binary).read(head.data(), head.size());
    const bool binary = std::string_view(head.data(), head.size()) == "ElfFile";
    unreadable_ += binary ? read_evtx(path, sink) : read_event_xml(path, sink);
    if (writer.events() == 0 && !binary) {
      throw Error("'" + path.string() + "' is XML without an event of the event log",
                  "name an .etl or .evtx file, or what wevtutil qe /f:XML wrote");
    }
    writer.finish();
    file_ = std::make_unique<TraceFile>(made, path.string());
  } catch (...) {
    file_.reset();
    remove_folder(folder_);
    throw;
  }
  // A mapped file may lose its name, but not on every system.
  remove_folder(folder_);
}

EventLogTrace::~EventLogTrace() {
  file_.reset();
  remove_folder(folder_);
}

}  // namespace tailgate::etl
