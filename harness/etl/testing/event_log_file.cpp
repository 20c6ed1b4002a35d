#include "harness/etl/testing/event_log_file.h"

#include <zlib.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "harness/etl/testing/trace_writer.h"

namespace tailgate::etl {
namespace {

constexpr std::size_t kFileHeaderBytes = 4096;
constexpr std::size_t kChunkBytes = 65'536;
constexpr std::size_t kChunkHeaderBytes = 512;

// Tokens of binary XML.
constexpr unsigned kEndOfStream = 0x00;
constexpr unsigned kOpenElement = 0x01;
constexpr unsigned kCloseStart = 0x02;
constexpr unsigned kCloseEmpty = 0x03;
constexpr unsigned kEndElement = 0x04;
constexpr unsigned kValue = 0x05;
constexpr unsigned kAttribute = 0x06;
constexpr unsigned kTemplate = 0x0C;
constexpr unsigned kSubstitution = 0x0D;
constexpr unsigned kFragment = 0x0F;
constexpr unsigned kMore = 0x40;  // an element with attributes; an attribute that is not the last

// Types of values.
constexpr unsigned kText = 0x01;
constexpr unsigned kU8 = 0x04;
constexpr unsigned kU16 = 0x06;
constexpr unsigned kU32 = 0x08;
constexpr unsigned kU64 = 0x0A;
constexpr unsigned kFiletime = 0x11;

void store(std::vector<std::uint8_t>& bytes, std::size_t at, std::uint64_t value, unsigned size) {
  for (unsigned i = 0; i < size; ++i) bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

std::uint32_t checksum(const std::vector<std::uint8_t>& bytes, std::size_t from, std::size_t size,
                       unsigned long before = 0) {
  return static_cast<std::uint32_t>(crc32(before, bytes.data() + from, static_cast<uInt>(size)));
}

// What the template leaves open. The time (2), the process (4) and the thread (5) are in
// attributes, which name a slot as "%2t" or "%4".
enum Slot : unsigned { kId = 0, kLevel = 1, kNumber = 3, kUser = 6, kSize = 7 };

// Binary XML at a place in a chunk, which the names in it refer to.
class XmlBuilder {
 public:
  explicit XmlBuilder(std::size_t at) : begin_(at) {}

  // content: writes what is in the element; none: it is empty.
  template <typename Content>
  void element(std::string_view name, const std::vector<std::string_view>& attributes,
               Content content) {
    b_.u8(kOpenElement | (attributes.empty() ? 0 : kMore)).u16(0xFFFF);
    const std::size_t size_at = b_.bytes().size();
    b_.u32(0);
    write_name(name);
    if (!attributes.empty()) {
      const std::size_t list_at = b_.bytes().size();
      b_.u32(0);
      for (std::size_t i = 0; i < attributes.size(); i += 2) {
        b_.u8(kAttribute | (i + 2 < attributes.size() ? kMore : 0));
        write_name(attributes[i]);
        if (attributes[i + 1].starts_with('%')) {
          substitution(static_cast<unsigned>(attributes[i + 1][1] - '0'),
                       attributes[i + 1][2] == 't' ? kFiletime : kU32);
        } else {
          text(attributes[i + 1]);
        }
      }
      patch(list_at);
    }
    content();
    patch(size_at);
  }
  void open() { b_.u8(kCloseStart); }
  void close() { b_.u8(kEndElement); }
  void close_empty() { b_.u8(kCloseEmpty); }

  void text_element(std::string_view name, std::string_view value) {
    element(name, {}, [&] {
      open();
      text(value);
      close();
    });
  }
  void open_element(std::string_view name, Slot slot, unsigned type,
                    const std::vector<std::string_view>& attributes = {}) {
    element(name, attributes, [&] {
      open();
      substitution(slot, type);
      close();
    });
  }
  void fragment() { b_.u8(kFragment).u8(1).u8(1).u8(0); }
  void end_of_stream() { b_.u8(kEndOfStream); }
  std::vector<std::uint8_t> bytes() const {
    std::vector<std::uint8_t> whole = b_.bytes();
    for (const auto& [at, value] : patches_) store(whole, at, value, 4);
    return whole;
  }

 private:
  void text(std::string_view value) {
    b_.u8(kValue).u8(kText).u16(static_cast<unsigned>(value.size()));
    for (const char c : value) b_.u16(static_cast<unsigned char>(c));
  }
  void substitution(unsigned slot, unsigned type) { b_.u8(kSubstitution).u16(slot).u8(type); }

  // A name that follows at once: where it is, the next one of its hash, the hash, the characters.
  void write_name(std::string_view name) {
    b_.u32(begin_ + b_.bytes().size() + 4).u32(0);
    unsigned hash = 0;
    for (const char c : name) hash = hash * 65'599 + static_cast<unsigned char>(c);
    b_.u16(hash & 0xFFFF).u16(static_cast<unsigned>(name.size())).text16(name);
  }
  // Sets the size of what follows the size.
  void patch(std::size_t at) { patches_.emplace_back(at, b_.bytes().size() - at - 4); }

  std::size_t begin_;
  ByteBuilder b_;
  std::vector<std::pair<std::size_t, std::uint64_t>> patches_;
};

std::vector<std::uint8_t> template_body(std::size_t at) {
  XmlBuilder xml(at);
  xml.fragment();
  const std::vector<std::string_view> space = {
      "xmlns", "http://schemas.microsoft.com/win/2004/08/events/event"};
  xml.element("Event", space, [&] {
    xml.open();
    xml.element("System", {}, [&] {
      xml.open();
      xml.element("Provider",
                  {"Name", "Test-Provider", "Guid", "{6A399AE0-4BC6-4DE9-870B-3657F8947E7E}"},
                  [&] { xml.close_empty(); });
      xml.open_element("EventID", kId, kU16);
      xml.open_element("Level", kLevel, kU8);
      xml.element("TimeCreated", {"SystemTime", "%2t"}, [&] { xml.close_empty(); });
      xml.open_element("EventRecordID", kNumber, kU64);
      xml.element("Execution", {"ProcessID", "%4", "ThreadID", "%5"}, [&] { xml.close_empty(); });
      xml.text_element("Channel", "Test/Operational");
      xml.text_element("Computer", "test-machine");
      xml.close();
    });
    xml.element("EventData", {}, [&] {
      xml.open();
      xml.open_element("Data", kUser, kText, {"Name", "TargetUserName"});
      xml.open_element("Data", kSize, kU32, {"Name", "Size"});
      xml.close();
    });
    xml.close();
  });
  xml.end_of_stream();
  return xml.bytes();
}

void append_values(const EventLogFileRecord& record, ByteBuilder& b) {
  const unsigned user_bytes = static_cast<unsigned>(2 * record.user.size());
  b.u32(8);
  b.u16(2).u8(kU16).u8(0).u16(1).u8(kU8).u8(0).u16(8).u8(kFiletime).u8(0);
  b.u16(8).u8(kU64).u8(0).u16(4).u8(kU32).u8(0).u16(4).u8(kU32).u8(0);
  b.u16(user_bytes).u8(kText).u8(0).u16(4).u8(kU32).u8(0);
  b.u16(record.id).u8(record.level).u64(static_cast<std::uint64_t>(record.filetime));
  b.u64(record.number).u32(record.process).u32(record.thread);
  for (const char c : record.user) b.u16(static_cast<unsigned char>(c));
  b.u32(record.size);
}

// A record at a place in its chunk. template_at: where the template is; 0: it is to be here, and
// its place is stored there.
std::vector<std::uint8_t> chunk_record(const EventLogFileRecord& record, std::size_t at,
                                       std::size_t& template_at) {
  ByteBuilder b;
  b.u32(0x00002A2A).u32(0).u64(record.number).u64(static_cast<std::uint64_t>(record.filetime));
  b.u8(kFragment).u8(1).u8(1).u8(0).u8(kTemplate).u8(1).u32(7);
  const std::size_t here = at + b.bytes().size() + 4;
  const bool first = template_at == 0;
  if (first) template_at = here;
  b.u32(template_at);
  if (first) {
    constexpr std::size_t kHeadBytes = 24;
    const auto body = template_body(here + kHeadBytes);
    b.u32(0).u32(7).zeros(12).u32(body.size()).raw(body);
  }
  append_values(record, b);
  b.u8(kEndOfStream);
  std::vector<std::uint8_t> bytes = b.bytes();
  const std::size_t size = bytes.size() + 4;
  bytes.resize(size);
  store(bytes, 4, size, 4);
  store(bytes, size - 4, size, 4);
  return bytes;
}

std::vector<std::uint8_t> chunk_of(const std::vector<EventLogFileRecord>& records) {
  std::vector<std::uint8_t> chunk(kChunkHeaderBytes);
  std::size_t template_at = 0;
  std::size_t last_at = 0;
  for (const EventLogFileRecord& record : records) {
    last_at = chunk.size();
    const auto bytes = chunk_record(record, chunk.size(), template_at);
    chunk.insert(chunk.end(), bytes.begin(), bytes.end());
  }
  const std::size_t end = chunk.size();
  chunk.resize(kChunkBytes);
  const std::string_view signature("ElfChnk\0", 8);
  std::copy(signature.begin(), signature.end(), chunk.begin());
  store(chunk, 8, 1, 8);
  store(chunk, 16, records.size(), 8);
  store(chunk, 24, records.front().number, 8);
  store(chunk, 32, records.back().number, 8);
  store(chunk, 40, 128, 4);
  store(chunk, 44, last_at, 4);
  store(chunk, 48, end, 4);
  store(chunk, 52, checksum(chunk, kChunkHeaderBytes, end - kChunkHeaderBytes), 4);
  store(chunk, 124, checksum(chunk, 128, 384, checksum(chunk, 0, 120)), 4);
  return chunk;
}

}  // namespace

std::vector<std::uint8_t> event_log_file(const std::vector<EventLogFileRecord>& records) {
  ByteBuilder b;
  b.text8("ElfFile").u64(0).u64(0).u64(records.back().number + 1).u32(128).u16(1).u16(3);
  b.u16(kFileHeaderBytes).u16(1).zeros(76).u32(0).u32(0);
  std::vector<std::uint8_t> file = b.bytes();
  file.resize(kFileHeaderBytes);
  store(file, 124, checksum(file, 0, 120), 4);
  const auto chunk = chunk_of(records);
  file.insert(file.end(), chunk.begin(), chunk.end());
  return file;
}

}  // namespace tailgate::etl
