// Builds pages and records of the trace buffer for tests, in the kernel's format.
#pragma once

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "harness/tracefs/ring_page.h"

namespace tailgate::tracefs {

inline constexpr const char* kHeaderPage =
    "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
    "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
    "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
    "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

inline constexpr const char* kHeaderEvent =
    "# compressed entry header\n"
    "\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n\tarray       :   32 bits\n\n"
    "\tpadding     : type == 29\n\ttime_extend : type == 30\n\ttime_stamp : type == 31\n"
    "\tdata max type_len  == 28\n";

inline constexpr const char* kCommonFields =
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";

inline std::string format_text(const std::string& name, int id, const std::string& fields) {
  return "name: " + name + "\nID: " + std::to_string(id) + "\nformat:\n" + kCommonFields + fields;
}

inline std::string raw_data_format() {
  return format_text("raw_data", 19,
                     "\tfield:unsigned int id;\toffset:8;\tsize:4;\tsigned:0;\n"
                     "\tfield:char buf[];\toffset:12;\tsize:0;\tsigned:0;\n\n"
                     "print fmt: \"id:%04x %08x\", REC->id, (int)REC->buf[0]\n");
}

inline std::string print_format() {
  return format_text("print", 5,
                     "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
                     "\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n\n"
                     "print fmt: \"%ps: %s\", (void *)REC->ip, REC->buf\n");
}

inline std::string user_event_format() {
  return format_text("tailgate_1_00000000", 1605,
                     "\tfield:__rel_loc u8[] event;\toffset:8;\tsize:4;\tsigned:0;\n\n"
                     "print fmt: \"\"\n");
}

// A page under construction.
class PageWriter {
 public:
  explicit PageWriter(std::uint64_t ticks, PageLayout layout = {}) : layout_(layout) {
    bytes_.resize(layout.page_bytes);
    std::memcpy(bytes_.data(), &ticks, sizeof ticks);
  }

  void word(std::uint32_t value) {
    std::memcpy(bytes_.data() + layout_.data_at + used_bytes_, &value, sizeof value);
    used_bytes_ += sizeof value;
  }
  void header(std::uint32_t type, std::uint32_t delta) { word(type | delta << 5); }
  void data(const std::string& bytes) {
    std::memcpy(bytes_.data() + layout_.data_at + used_bytes_, bytes.data(), bytes.size());
    used_bytes_ += bytes.size();
  }

  // flags: the two upper bits of the lower half of the commit word.
  std::vector<std::byte> page(std::uint64_t flags = 0) {
    const std::uint64_t commit = used_bytes_ | flags;
    std::memcpy(bytes_.data() + layout_.commit_at, &commit, layout_.commit_bytes);
    return bytes_;
  }
  // Writes the number of missed events after the records.
  void missed_events(std::uint64_t count) {
    std::memcpy(bytes_.data() + layout_.data_at + used_bytes_, &count, layout_.commit_bytes);
  }

 private:
  PageLayout layout_;
  std::vector<std::byte> bytes_;
  std::size_t used_bytes_ = 0;
};

inline constexpr std::uint64_t kMissed = 1u << 31;
inline constexpr std::uint64_t kMissedStored = 1u << 30;

inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Reads a page that kernel 6.18 wrote for events of tailgate's (x86-64, pages of 4096 bytes).
inline std::vector<std::byte> captured_page(const std::string& name) {
  std::ifstream file(std::string(TAILGATE_PAGES_DIR) + "/" + name, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

}  // namespace tailgate::tracefs
