// A mapped trace file: its buffers found, its headers decoded, its losses and damage counted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/etl/buffer.h"
#include "harness/etl/log_header.h"
#include "harness/os/mapped_file.h"

namespace tailgate::etl {

// The position of a buffer, and the parts of its header that the reader needs.
struct BufferRef {
  std::uint64_t offset = 0;  // in the file
  std::uint64_t sequence = 0;
  std::uint32_t size_bytes = 0;
  std::uint32_t filled_bytes = 0;
  std::uint16_t processor = 0;
  std::uint16_t flags = 0;
  BufferType type = BufferType::generic;
  std::uint16_t epoch = 0;  // index into TraceFile::epochs()
};

// One session's part of a file. A file has one epoch; each append adds another, with its own header
// buffer, clock anchor and sequence numbers.
struct Epoch {
  LogFileHeader header;
  SessionClock clock;
  std::uint64_t buffers = 0;              // header buffer included
  std::uint64_t sequence_gaps = 0;        // buffers missing between the lowest and the highest
                                          // number
  std::uint64_t buffers_overwritten = 0;  // missing before the lowest number: a circular file
                                          // wrapped
  std::uint64_t buffers_flagged_events_lost = 0;  // buffers whose flags say that events were lost
  std::uint64_t buffers_flagged_buffer_lost = 0;
  std::uint64_t buffers_flagged_backup_corrupt = 0;
  std::uint64_t repeated_sequence_numbers = 0;  // the same number twice: damage, or a patched file
  bool closed_properly = true;  // false: EndTime or BuffersWritten show that the session crashed
};

// Damage in the file's framing. All zero for a sound file.
struct FramingDamage {
  std::uint64_t bad_buffer_headers = 0;
  std::uint64_t skipped_bytes = 0;               // bytes that belong to no readable buffer
  std::uint64_t truncated_buffers = 0;           // the last buffer extends past the end of the file
  std::uint64_t undecodable_header_records = 0;  // header buffers with an undecodable record
  bool any() const {
    return bad_buffer_headers + truncated_buffers + undecodable_header_records > 0;
  }
};

class TraceFile {
 public:
  // Maps and indexes the file. Throws Error when it cannot be read, is not an event trace log, or
  // is from Windows XP or 2003, whose buffers differ.
  explicit TraceFile(const std::filesystem::path& path);
  // The same; messages show `name` in place of the path.
  TraceFile(const std::filesystem::path& path, std::string name);

  // The same for bytes that the caller keeps alive. Messages show `name` in place of the path.
  TraceFile(Bytes bytes, std::string name);

  const std::string& name() const { return name_; }
  Bytes bytes() const { return bytes_; }

  // All buffers in file order, header buffers included.
  std::span<const BufferRef> buffers() const { return buffers_; }
  std::span<const Epoch> epochs() const { return epochs_; }  // at least one
  const LogFileHeader& header() const { return epochs_.front().header; }
  const SessionClock& clock() const { return epochs_.front().clock; }
  const FramingDamage& damage() const { return damage_; }
  // Bytes of 0x00 or 0xFF after the last buffer: preallocated and never written.
  std::uint64_t unused_tail_bytes() const { return unused_tail_bytes_; }

  // The stored bytes of a buffer, header included.
  Bytes stored(const BufferRef& buffer) const {
    return bytes_.subspan(buffer.offset, buffer.size_bytes);
  }

 private:
  void index();
  bool open_epoch(std::uint64_t offset, const BufferHeader& buffer);
  void add_buffer(std::uint64_t offset, const BufferHeader& buffer);
  std::uint64_t resynchronize(std::uint64_t offset);
  bool plausible_buffer_at(std::uint64_t offset) const;
  std::uint64_t find_unused_tail() const;
  void count_losses();

  std::string name_;
  std::unique_ptr<MappedFile> mapping_;
  Bytes bytes_;
  std::vector<BufferRef> buffers_;
  std::vector<Epoch> epochs_;
  FramingDamage damage_;
  std::uint64_t unused_tail_bytes_ = 0;
};

// Returns a buffer's header and valid bytes. Those of an uncompressed buffer are a view of the
// file; a compressed buffer is decompressed into `scratch`, which grows as needed and is reused.
// Returns nothing when decompression fails: the buffer is damaged.
Bytes load_buffer(const TraceFile& file, const BufferRef& buffer,
                  std::vector<std::uint8_t>& scratch);

}  // namespace tailgate::etl
