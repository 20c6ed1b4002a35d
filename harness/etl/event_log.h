// Events of Windows' event log: .evtx files, and the XML that `wevtutil qe /f:XML`, Get-WinEvent's
// ToXml() and Event Viewer's "Save as XML" write. They become a trace file, so that every report on
// traces reads them, merged in time with other traces.
//
// Each event is one of ETW's with its provider, id, version, level, task, opcode, keyword, process,
// thread and activities. Its fields are Channel, Computer, EventRecordID and what else its System
// element says, then those of EventData or UserData. Whole numbers are numbers; everything else
// is text. The log names the processor of hardly any event (ProcessorID, a field then), so that is
// kNoProcessor. Source of the elements: Microsoft's documentation of the event schema
// (SystemPropertiesType, EventDataType).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "harness/etl/trace_file.h"

namespace tailgate::etl {

// Whether a file begins as an .evtx file, or as XML in UTF-8 or UTF-16. False for a file that
// cannot be read.
bool is_event_log(const std::filesystem::path& path);

// An event log as a trace, in a temporary file that is removed as soon as the system allows it.
class EventLogTrace {
 public:
  // beside: the trace whose clock the events' times are on, so that both merge; null: their own.
  // Throws Error when the file cannot be read, when it is XML without an event, and for .evtx when
  // this build has no library for it. A log of .evtx may be empty.
  EventLogTrace(const std::filesystem::path& path, const LogFileHeader* beside);
  ~EventLogTrace();
  EventLogTrace(const EventLogTrace&) = delete;
  EventLogTrace& operator=(const EventLogTrace&) = delete;

  const TraceFile& file() const { return *file_; }
  // Records that the library cannot read, and events without an end, a time or a provider or with
  // numbers that no event has.
  std::uint64_t unreadable() const { return unreadable_; }

 private:
  std::filesystem::path folder_;
  std::unique_ptr<TraceFile> file_;
  std::uint64_t unreadable_ = 0;
};

// Takes the XML of one event.
using EventXmlSink = std::function<void(std::string_view)>;

// The most XML of one event; a longer one is unreadable.
inline constexpr std::size_t kMaxEventXmlBytes = 4u << 20;

// Calls sink with each event of an .evtx file. Returns the number of records that cannot be read.
// Throws Error when the file is none, and when this build has no library.
std::uint64_t read_evtx(const std::filesystem::path& path, const EventXmlSink& sink);

// The same for the <Event> elements in a file of XML, whatever is around them.
std::uint64_t read_event_xml(const std::filesystem::path& path, const EventXmlSink& sink);

// Makes a trace file of events.
class EventLogWriter {
 public:
  EventLogWriter(const std::filesystem::path& path, const LogFileHeader* beside);
  ~EventLogWriter();

  // Adds an event; false when its XML is not one.
  bool add(std::string_view xml);
  std::uint64_t events() const { return events_; }

  // Completes the file. Throws Error when it cannot be written.
  void finish();

 private:
  void add_record(std::int64_t filetime, const std::string& record);
  void flush();
  std::string header_buffer() const;
  std::int64_t raw_of(std::int64_t filetime) const;

  struct Output;
  std::unique_ptr<Output> output_;
  LogFileHeader clock_;
  bool own_clock_;
  std::uint64_t events_ = 0;
  std::uint64_t buffers_ = 0;
  std::int64_t first_ = 0;  // FILETIME
  std::int64_t last_ = 0;
  std::string buffer_;
};

}  // namespace tailgate::etl
