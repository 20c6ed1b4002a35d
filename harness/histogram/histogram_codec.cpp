#include "harness/histogram/histogram_codec.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

#include "harness/base/base64.h"
#include "harness/base/error.h"

namespace tailgate {
namespace {

// HdrHistogram's cookies, without the four bits for the word size (AbstractHistogram).
constexpr std::uint32_t v0_cookie = 0x1c849308;
constexpr std::uint32_t v0_compressed_cookie = 0x1c849309;
constexpr std::uint32_t v1_cookie = 0x1c849301;
constexpr std::uint32_t v1_compressed_cookie = 0x1c849302;
constexpr std::uint32_t v2_cookie = 0x1c849303;
constexpr std::uint32_t v2_compressed_cookie = 0x1c849304;
// The cookies of DoubleHistogram have no word size.
constexpr std::uint32_t double_cookie = 0x0c72124e;
constexpr std::uint32_t double_compressed_cookie = 0x0c72124f;
constexpr std::uint32_t word_size_bits = 0xf0;
constexpr std::uint32_t v2_word_size = 0x10;

constexpr std::size_t v0_header_bytes = 32;
constexpr std::size_t header_bytes = 40;
constexpr std::size_t compressed_header_bytes = 8;
constexpr std::size_t max_varint_bytes = 9;
constexpr std::uint64_t max_count = std::numeric_limits<std::int64_t>::max();

[[noreturn]] void reject(const std::string& reason) {
  throw Error("cannot decode the histogram: " + reason,
              "give a whole HdrHistogram encoding (V0, V1 or V2; plain, compressed or base64)");
}

std::uint64_t read_big_endian(std::string_view bytes, std::size_t at, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < width; ++i) {
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

void write_big_endian(char* at, std::uint64_t value, std::size_t width) {
  for (std::size_t i = width; i-- > 0; value >>= 8) at[i] = static_cast<char>(value);
}

// Writes a zig-zag encoded number in up to nine bytes. Unlike in LEB128, the ninth byte holds eight
// bits.
char* write_varint(char* at, std::uint64_t value) {
  for (std::size_t byte = 1; value >= 0x80 && byte < max_varint_bytes; ++byte) {
    *at++ = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *at++ = static_cast<char>(value);
  return at;
}

// Returns the first slot from `slot` on with a count. There must be one.
std::size_t skip_empty(const std::vector<std::uint64_t>& counts, std::size_t slot) {
  while (slot + 4 <= counts.size() &&
         (counts[slot] | counts[slot + 1] | counts[slot + 2] | counts[slot + 3]) == 0) {
    slot += 4;
  }
  while (counts[slot] == 0) ++slot;
  return slot;
}

// A byte buffer that grows as needed and does not clear new bytes, since they will be overwritten.
class ByteBuffer {
 public:
  // Returns the end of the content, with room for at least `room` more bytes.
  char* reserve(std::size_t room) {
    if (capacity_ - size_ < room) grow(room);
    return bytes_.get() + size_;
  }
  void set_end(const char* end) { size_ = static_cast<std::size_t>(end - bytes_.get()); }
  char* data() { return bytes_.get(); }
  std::size_t size() const { return size_; }

 private:
  void grow(std::size_t room) {
    capacity_ = std::max({std::size_t{4096}, size_ + room, 2 * capacity_});
    auto larger = std::make_unique_for_overwrite<char[]>(capacity_);
    std::copy_n(bytes_.get(), size_, larger.get());
    bytes_ = std::move(larger);
  }

  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

void write_counts(const std::vector<std::uint64_t>& counts, ByteBuffer& out) {
  // HdrHistogram's last count is that of the maximum's slot, so an empty histogram has one count,
  // too.
  if (counts.empty()) out.set_end(write_varint(out.reserve(max_varint_bytes), 0));
  for (std::size_t slot = 0; slot < counts.size();) {
    char* at = out.reserve(2 * max_varint_bytes);
    if (counts[slot] == 0) {
      const std::size_t end = skip_empty(counts, slot + 1);
      const std::uint64_t run = end - slot;
      at = write_varint(at, run == 1 ? 0 : 2 * run - 1);
      slot = end;
    }
    out.set_end(write_varint(at, counts[slot] << 1));
    ++slot;
  }
}

ByteBuffer encode_plain(const Histogram& histogram) {
  ByteBuffer out;
  out.set_end(out.reserve(header_bytes) + header_bytes);
  write_counts(histogram.counts(), out);
  const HistogramRange& range = histogram.layout().range();
  char* header = out.data();
  write_big_endian(header, v2_cookie | v2_word_size, 4);
  write_big_endian(header + 4, out.size() - header_bytes, 4);
  write_big_endian(header + 8, 0, 4);
  write_big_endian(header + 12, static_cast<std::uint64_t>(range.significant_digits), 4);
  write_big_endian(header + 16, range.lowest_discernible, 8);
  write_big_endian(header + 24, range.highest_trackable, 8);
  write_big_endian(header + 32, std::bit_cast<std::uint64_t>(1.0), 8);
  return out;
}

// Appends `plain` as a zlib stream. Some counts are frequent, but sequences of counts rarely
// repeat. So the search for matches, other than runs, would take most of the time and gain nothing
// (hence Z_RLE). Short blocks (memory level 5 ends one every 2048 symbols) let the Huffman codes
// adapt to the counts along the slots.
void deflate_into(ByteBuffer& out, ByteBuffer& plain) {
  constexpr int memory_level = 5;
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS, memory_level, Z_RLE) !=
      Z_OK) {
    throw std::bad_alloc();
  }
  const uLong bound = deflateBound(&stream, static_cast<uLong>(plain.size()));
  char* at = out.reserve(bound);
  stream.next_in = reinterpret_cast<Bytef*>(plain.data());
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(at);
  stream.avail_out = static_cast<uInt>(bound);
  const int status = deflate(&stream, Z_FINISH);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::logic_error("deflateBound() was too small");
  out.set_end(at + bound - stream.avail_out);
}

struct Header {
  int version;
  std::size_t bytes;          // size of the header
  std::size_t payload_bytes;  // V0 does not state it: the maximum
  std::size_t word_bytes;     // of V0 and V1 counts
  HistogramLayout layout;
};

std::size_t read_word_bytes(std::uint32_t cookie) {
  const std::size_t word_bytes = (cookie & word_size_bits) >> 4 & 0xe;
  if (word_bytes != 2 && word_bytes != 4 && word_bytes != 8) {
    reject("counts of " + std::to_string(word_bytes) + " bytes");
  }
  return word_bytes;
}

HistogramLayout read_layout(std::string_view bytes, std::size_t at) {
  const HistogramRange range = {
      .lowest_discernible = read_big_endian(bytes, at + 4, 8),
      .highest_trackable = read_big_endian(bytes, at + 12, 8),
      .significant_digits = static_cast<std::int32_t>(read_big_endian(bytes, at, 4))};
  try {
    return HistogramLayout(range);
  } catch (const Error& error) {
    reject(error.what_failed());
  }
}

Header read_v0_header(std::string_view bytes, std::uint32_t cookie) {
  if (bytes.size() < v0_header_bytes) reject("the header is cut short");
  const HistogramLayout layout = read_layout(bytes, 4);
  const std::size_t word_bytes = read_word_bytes(cookie);
  return {0, v0_header_bytes, layout.count_slots() * word_bytes, word_bytes, layout};
}

Header read_header(std::string_view bytes) {
  if (bytes.size() < 4) reject("it has " + std::to_string(bytes.size()) + " bytes");
  const auto cookie = static_cast<std::uint32_t>(read_big_endian(bytes, 0, 4));
  const std::uint32_t kind = cookie & ~word_size_bits;
  if (kind == v0_cookie) return read_v0_header(bytes, cookie);
  if (kind != v1_cookie && kind != v2_cookie) {
    reject("its first bytes are no histogram's (cookie " + std::to_string(cookie) + ")");
  }
  if (bytes.size() < header_bytes) reject("the header is cut short");
  if (read_big_endian(bytes, 8, 4) != 0 ||
      read_big_endian(bytes, 32, 8) != std::bit_cast<std::uint64_t>(1.0)) {
    reject("it holds floating-point values (index offset or conversion ratio are set)");
  }
  const HistogramLayout layout = read_layout(bytes, 12);
  const std::size_t word_bytes = kind == v1_cookie ? read_word_bytes(cookie) : 0;
  const std::size_t payload_bytes = read_big_endian(bytes, 4, 4);
  const std::size_t most = kind == v1_cookie ? word_bytes : max_varint_bytes;
  if (payload_bytes > layout.count_slots() * most) {
    reject("a payload of " + std::to_string(payload_bytes) + " bytes exceeds the " +
           std::to_string(layout.count_slots()) + " slots of its range");
  }
  return {kind == v1_cookie ? 1 : 2, header_bytes, payload_bytes, word_bytes, layout};
}

// Collects counts by slot. Memory grows with the counts read, so a run of empty slots costs
// nothing.
class SlotFiller {
 public:
  SlotFiller(std::size_t slots, std::size_t payload_bytes) : slots_(slots) {
    // Enough for most payloads; growing would copy the counts and touch new pages.
    counts_.reserve(std::min(slots, 16 * payload_bytes));
  }

  void skip(std::uint64_t run) {
    if (run > slots_ - next_) reject_length();
    next_ += static_cast<std::size_t>(run);
  }
  void put(std::uint64_t count) {
    if (next_ >= counts_.size()) grow();
    counts_[next_++] = count;
    used_ = next_;
  }
  std::vector<std::uint64_t> take() {
    counts_.resize(used_);
    return std::move(counts_);
  }

 private:
  void grow() {
    if (next_ >= slots_) reject_length();
    counts_.resize(std::min(slots_, next_ + 1024));
  }
  [[noreturn]] void reject_length() const {
    reject("it has more counts than the " + std::to_string(slots_) + " slots of its range");
  }

  std::size_t slots_;
  std::size_t next_ = 0;
  std::size_t used_ = 0;  // up to the last count
  std::vector<std::uint64_t> counts_;
};

std::uint64_t read_varint(std::string_view bytes, std::size_t& at) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (at == bytes.size()) reject("its last count is cut short");
    const std::uint64_t byte = static_cast<unsigned char>(bytes[at++]);
    if (shift == 56) return value | byte << shift;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return value;
}

void read_v2_counts(std::string_view payload, SlotFiller& slots) {
  for (std::size_t at = 0; at < payload.size();) {
    const std::uint64_t zigzag = read_varint(payload, at);
    if (zigzag == 0) {
      slots.skip(1);
    } else if ((zigzag & 1) != 0) {
      slots.skip((zigzag >> 1) + 1);
    } else {
      slots.put(zigzag >> 1);
    }
  }
}

void read_word_counts(std::string_view payload, std::size_t word_bytes, SlotFiller& slots) {
  if (payload.size() % word_bytes != 0) reject("its last count is cut short");
  const std::uint64_t highest = max_count >> (64 - 8 * word_bytes);
  for (std::size_t at = 0; at < payload.size(); at += word_bytes) {
    const std::uint64_t count = read_big_endian(payload, at, word_bytes);
    if (count > highest) reject("it holds a negative count");
    if (count == 0) {
      slots.skip(1);
    } else {
      slots.put(count);
    }
  }
}

Histogram decode_plain(std::string_view bytes) {
  const Header header = read_header(bytes);
  const std::string_view payload = bytes.substr(header.bytes);
  if (header.version == 0 ? payload.size() > header.payload_bytes
                          : payload.size() != header.payload_bytes) {
    reject("its payload has " + std::to_string(payload.size()) + " bytes instead of " +
           std::to_string(header.payload_bytes));
  }
  SlotFiller slots(header.layout.count_slots(), payload.size());
  if (header.version == 2) {
    read_v2_counts(payload, slots);
  } else {
    read_word_counts(payload, header.word_bytes, slots);
  }
  return Histogram(header.layout, slots.take());
}

// Reads a zlib stream.
class Inflater {
 public:
  explicit Inflater(std::string_view compressed) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
    stream_.avail_in = static_cast<uInt>(compressed.size());
    if (inflateInit(&stream_) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Fills [at, at + room) as far as the stream goes; returns how many bytes it wrote.
  std::size_t read(char* at, std::size_t room) {
    stream_.next_out = reinterpret_cast<Bytef*>(at);
    stream_.avail_out = static_cast<uInt>(room);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      reject(std::string("its zlib stream is broken (") +
             (stream_.msg != nullptr ? stream_.msg : "unknown reason") + ")");
    }
    ended_ = status == Z_STREAM_END;
    return room - stream_.avail_out;
  }
  bool ended() const { return ended_; }
  std::size_t bytes_left() const { return stream_.avail_in; }

 private:
  z_stream stream_{};
  bool ended_ = false;
};

// Inflates as many bytes as the header at the start of the stream announces. The buffer grows with
// the bytes read, so a header with a wrong length costs nothing.
Histogram decode_compressed(std::string_view compressed) {
  Inflater inflater(compressed);
  ByteBuffer out;
  std::size_t limit = 0;
  for (bool header_read = false; !inflater.ended();) {
    if (out.size() >= header_bytes && !header_read) {
      const Header header = read_header({out.data(), out.size()});
      limit = header.bytes + header.payload_bytes;
      header_read = true;
    }
    if (header_read && out.size() > limit) reject("its payload is longer than announced");
    std::size_t room = std::max<std::size_t>(16384, out.size());
    if (header_read) room = std::min(room, limit + 1 - out.size());
    char* at = out.reserve(room);
    const std::size_t written = inflater.read(at, room);
    if (written == 0 && !inflater.ended()) reject("its zlib stream is cut short");
    out.set_end(at + written);
  }
  if (inflater.bytes_left() != 0) reject("bytes follow its zlib stream");
  return decode_plain({out.data(), out.size()});
}

Histogram decode_bytes(std::string_view bytes) {
  if (bytes.size() < compressed_header_bytes) {
    reject("it has " + std::to_string(bytes.size()) + " bytes");
  }
  const auto cookie = static_cast<std::uint32_t>(read_big_endian(bytes, 0, 4));
  const std::uint32_t kind = cookie & ~word_size_bits;
  if (cookie == double_cookie || cookie == double_compressed_cookie) {
    reject("it holds floating-point values (a DoubleHistogram)");
  }
  if (kind != v0_compressed_cookie && kind != v1_compressed_cookie &&
      kind != v2_compressed_cookie) {
    return decode_plain(bytes);
  }
  const std::string_view stream = bytes.substr(compressed_header_bytes);
  const std::uint64_t announced = read_big_endian(bytes, 4, 4);
  if (stream.size() != announced) {
    reject("its zlib stream has " + std::to_string(stream.size()) + " bytes instead of " +
           std::to_string(announced));
  }
  return decode_compressed(stream);
}

}  // namespace

std::string encode_v2(const Histogram& histogram) {
  ByteBuffer plain = encode_plain(histogram);
  return {plain.data(), plain.size()};
}

std::string encode_v2_compressed(const Histogram& histogram) {
  ByteBuffer plain = encode_plain(histogram);
  ByteBuffer out;
  out.set_end(out.reserve(compressed_header_bytes) + compressed_header_bytes);
  deflate_into(out, plain);
  write_big_endian(out.data(), v2_compressed_cookie | v2_word_size, 4);
  write_big_endian(out.data() + 4, out.size() - compressed_header_bytes, 4);
  return {out.data(), out.size()};
}

std::string encode_v2_base64(const Histogram& histogram) {
  return to_base64(encode_v2_compressed(histogram));
}

Histogram decode(std::string_view encoded) {
  if (encoded.starts_with('H')) return decode_bytes(from_base64(encoded));
  return decode_bytes(encoded);
}

}  // namespace tailgate
