// The buffer is the unit that ETW writes to the file; a trace file consists of buffers, back to
// back. Layout: WMI_BUFFER_HEADER as documented by Geoff Chappell (NTWMI) and the phnt headers,
// checked on files of Windows 7 to 11.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/etl/bytes.h"

namespace tailgate::etl {

inline constexpr std::uint32_t kBufferHeaderBytes = 0x48;
// The largest buffer of a session (16 MB since Windows 10); a larger size is damage.
inline constexpr std::uint32_t kMaxBufferBytes = 16u << 20;

// Bits of a buffer's flags.
inline constexpr std::uint16_t kEventsLost = 0x02;
inline constexpr std::uint16_t kBufferLost = 0x04;
inline constexpr std::uint16_t kRealTimeBackupCorrupt = 0x08;
inline constexpr std::uint16_t kProcessorIndexIs16Bit = 0x20;
inline constexpr std::uint16_t kCompressed = 0x40;

enum class BufferType : std::uint16_t {
  generic = 0,
  rundown = 1,
  context_swap = 2,
  reference_time = 3,
  header = 4,
  batched = 5,
  empty_marker = 6,
  debug_info = 7,
};

// The fields of a buffer header that are meaningful in a file. The others contain stale kernel
// pointers.
struct BufferHeader {
  std::uint32_t size_bytes = 0;    // on disk, header included: distance to the next buffer
  std::uint32_t filled_bytes = 0;  // valid bytes, header included, after decompression
  std::int64_t flush_time = 0;     // merged files: FILETIME of the merge; never an event's time
  std::uint64_t sequence = 0;      // 0 for the header buffer; the others are numbered from 1 in
                                   // order of allocation
  std::uint32_t state = 0;         // in a compressed file's header buffer: compression format
  std::uint16_t processor = 0;
  std::uint16_t logger_id = 0;
  std::uint16_t flags = 0;  // kFlushMarker and so on
  BufferType type = BufferType::generic;

  bool is_compressed() const { return (flags & kCompressed) != 0; }
  // Whether the payload is known to be a chain of records.
  bool holds_records() const {
    return type == BufferType::generic || type == BufferType::rundown ||
           type == BufferType::context_swap || type == BufferType::header ||
           type == BufferType::batched;
  }
};

// Decodes the header at the start of `bytes`. Returns nothing when there are fewer than
// kBufferHeaderBytes or when a size is impossible: smaller than the header, larger than
// kMaxBufferBytes, or filled_bytes larger than an uncompressed buffer.
std::optional<BufferHeader> parse_buffer_header(Bytes bytes);

}  // namespace tailgate::etl
