// Takes the messages of a DLT trace apart: a storage header, a standard header, an extended header
// and the arguments, as AUTOSAR's "Log and Trace Protocol" defines them (dlt_protocol.h names the
// bits). Any bytes may come.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace loggers {

class DltMessages {
 public:
  // address: the four letters of the application, and the four of the context.
  explicit DltMessages(std::string_view address) : address_(address) {}

  // Takes the file's next bytes. Calls event(text) for each message from the address, whose first
  // argument is a text, and damage(number of bytes) for what is no message; other messages are the
  // daemon's own. Returns the number of messages.
  template <class Event, class Damage>
  std::int64_t take(std::string_view bytes, Event event, Damage damage) {
    rest_.append(bytes);
    std::size_t used = 0;
    std::int64_t messages = 0;
    while (rest_.size() - used >= kStorageBytes + kStandardBytes) {
      const std::string_view rest = std::string_view(rest_).substr(used);
      const std::size_t size =
          kStorageBytes + (byte(rest, kStorageBytes + 2) << 8 | byte(rest, kStorageBytes + 3));
      if (!rest.starts_with(kMagic) || size < kStorageBytes + kStandardBytes) {
        const std::size_t next = std::min(rest.find(kMagic, 1), rest.size());
        damage(next);
        used += next;
        continue;
      }
      if (rest.size() < size) break;
      const std::string_view text = text_of(rest.substr(kStorageBytes, size - kStorageBytes));
      if (!text.empty()) event(text);
      used += size;
      ++messages;
    }
    rest_.erase(0, used);
    return messages;
  }

  // What is no whole message yet; at the end of the file, damage.
  std::size_t rest_bytes() const { return rest_.size(); }

 private:
  static constexpr std::string_view kMagic = "DLT\x01";
  static constexpr std::size_t kStorageBytes = 16;  // the magic number, the time, the ECU's name
  static constexpr std::size_t kStandardBytes = 4;  // kind, counter, length
  static constexpr std::size_t kExtendedBytes = 10;
  static constexpr std::size_t kAddressAt = 2;      // in the extended header
  static constexpr std::size_t kArgumentBytes = 6;  // of a text: its type and its length

  static unsigned byte(std::string_view bytes, std::size_t at) {
    return static_cast<unsigned char>(bytes[at]);
  }

  std::string_view text_of(std::string_view message) const {
    const unsigned kind = byte(message, 0);
    std::size_t at = kStandardBytes;
    for (const unsigned has : {0x04u, 0x08u, 0x10u}) {  // ECU, session, time
      if (kind & has) at += 4;
    }
    const bool extended = kind & 0x01;
    if (!extended || message.size() < at + kExtendedBytes + kArgumentBytes) return {};
    if (message.substr(at + kAddressAt, address_.size()) != address_) return {};
    const std::string_view text = message.substr(at + kExtendedBytes + kArgumentBytes);
    return text.substr(0, text.find('\0'));
  }

  std::string address_;
  std::string rest_;
};

}  // namespace loggers
