// What the ids in a trace stand for: the names of processes, the paths of files with their drive
// letters, and the images that addresses are in.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "harness/etl/decoder.h"
#include "harness/etl/image_ranges.h"
#include "harness/etl/trace_file.h"

namespace tailgate::etl {

// What the names of all sessions may still take, so that a trace does not fill memory: 1,048,576
// names of ids (a disk may well have more than a quarter of that in files), 262,144 images, 1,024
// volumes, and 192 MB for the texts and what refers to them.
struct NameLimits {
  std::size_t entries = 1u << 20;
  std::size_t images = 1u << 18;
  std::size_t volumes = 1024;
  std::size_t bytes = 192u << 20;
  std::uint64_t over_limit = 0;  // names without room

  // Takes room for one of `left` and for the bytes; false and counted when there is none.
  bool take(std::size_t& left, std::size_t size);
};

// Names that an id had at times, for ids that are used again.
class NameHistory {
 public:
  // begins: the id had no such name before; else it is also the name before.
  void add(std::uint64_t id, std::int64_t time, bool begins, std::string_view name,
           NameLimits& limits);
  // Call it once, after the last add().
  void sort();
  // The name at a time; empty when there is none.
  std::string_view find(std::uint64_t id, std::int64_t time) const;

 private:
  struct Entry {
    std::uint64_t id;
    std::int64_t time;
    std::string_view name;
    bool begins;
  };
  std::vector<Entry> entries_;             // by id and time
  std::unordered_set<std::string> names_;  // what the entries refer to
};

// The names of files on one clock. Sources: the kernel's events of processes, images and files, and
// VolumeMapping, which merge tools write.
class SessionNames {
 public:
  bool empty() const { return empty_; }
  std::string_view process(std::uint32_t process, std::int64_t time) const {
    return processes_.find(process, time);
  }
  // The path of a file by the key that events of disks, faults and files have.
  std::string file(std::uint64_t key, std::int64_t time) const {
    return path(files_.find(key, time));
  }
  // "\Device\HarddiskVolume2\a.txt" as "C:\a.txt", when the trace maps that volume; a share as
  // "\\server\share"; a path that names no device is on the system's drive.
  std::string path(std::string_view kernel_path) const;
  // "ntdll.dll+0x1234"; empty for an address in no image.
  std::string image(std::uint32_t process, std::uint64_t address) const;

 private:
  friend class TraceNames;

  // Takes a record in any order of time.
  void add(const Record& record, Decoder& decoder, DecodedEvent& event, NameLimits& limits);
  void add_process(const DecodedEvent& event, std::int64_t time, NameLimits& limits);
  void add_image(const DecodedEvent& event, NameLimits& limits);
  void add_file(const RecordHeader& header, const Record& record, NameLimits& limits);
  void add_volume(const DecodedEvent& event, NameLimits& limits);
  std::string without_volume(std::string_view kernel_path) const;

  bool empty_ = true;
  NameHistory processes_;
  NameHistory files_;
  ImageRanges images_;
  std::vector<std::string> image_names_;
  std::vector<std::pair<std::string, std::string>> volumes_;  // kernel's prefix, drive's
};

class TraceNames {
 public:
  // Reads the files once.
  explicit TraceNames(const std::vector<const TraceFile*>& files);

  // The names of TraceReader::header()'s clock.
  const SessionNames& of(const LogFileHeader& session) const;
  // Says how many names had no room; empty when all had.
  std::string limits() const;

 private:
  NameLimits limits_;
  std::unordered_map<const LogFileHeader*, std::unique_ptr<SessionNames>> sessions_;
};

// An event with what its names need. Refers to all of them.
struct NamedEvent {
  const DecodedEvent& event;
  const Record& record;
  const SessionNames* names;  // null: none are known
};

// Append what the event names; nothing when it names none, or when the trace does not say.
//   process   of the event's process id
//   file      that it reads, writes, maps, opens or loads
//   image     of the address that ran, or of the routine
void append_process_name(const NamedEvent& named, std::string& out);
void append_file_name(const NamedEvent& named, std::string& out);
void append_image_name(const NamedEvent& named, std::string& out);

// Appends name=text for each of the three that there is, each behind a tab.
void append_names_tsv(const NamedEvent& named, std::string& out);
// The same as members of a JSON object, each behind a comma.
void append_names_json(const NamedEvent& named, std::string& out);

// The same one by one: "process", "file" or "image", and the name.
using NameVisitor = std::function<void(std::string_view what, const std::string& name)>;
void visit_names(const NamedEvent& named, const NameVisitor& visit);

}  // namespace tailgate::etl
