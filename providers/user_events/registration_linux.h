// The kernel's interface for events that programs register themselves.
//
// Source: Documentation/trace/user_events.rst and include/uapi/linux/user_events.h of Linux 6.4,
// the first version in which a program is told through a word of its own memory whether anybody
// listens. The definitions are here because Debian 12 has older headers.
#pragma once

#include <sys/ioctl.h>

#include <atomic>
#include <cstdint>
#include <span>
#include <string>

#include "harness/tracefs/trace_folder.h"
#include "providers/sink.h"

namespace tailgate::user_events {

// Argument of kRegister. size, enable_*, flags and name_args go in, write_index comes out.
struct [[gnu::packed]] Registration {
  std::uint32_t size = sizeof(Registration);
  std::uint8_t enable_bit = 0;   // of the word at enable_addr: set while the event is enabled
  std::uint8_t enable_size = 4;  // of that word, in bytes
  std::uint16_t flags = 0;
  std::uint64_t enable_addr = 0;
  std::uint64_t name_args = 0;  // address of "name type field; type field …"
  std::uint32_t write_index = 0;
};
static_assert(sizeof(Registration) == 28);

// The requests carry the size of a pointer to their argument, not of the argument.
inline constexpr unsigned long kRegister = _IOWR('*', 0, Registration*);
inline constexpr unsigned long kDelete = _IOW('*', 1, char*);

// The one field of our event: where in the record its bytes lie, for bytes of any number.
inline constexpr const char* kField = "event";

// "tailgate-1-0123abcd" becomes an event name, in which the kernel takes no hyphens.
std::string event_name(std::string instance_name);

// Writes events of one kind. Several threads may write at once.
class EventWriter {
 public:
  // file: user_events_data, on which write_index was registered. enabled: the word that the
  // kernel keeps; outlives this. max_event_bytes: longer ones the kernel drops without a word.
  EventWriter(int file, std::uint32_t write_index, const std::atomic<std::uint32_t>& enabled,
              std::size_t max_event_bytes);

  enum Refusal : EmitStatus { kClosed = 1, kNotEnabled, kTooLong, kNotTaken, kOther };

  // kAccepted or a Refusal.
  EmitStatus write(std::span<const std::byte> event) const noexcept;

 private:
  int file_;
  std::uint32_t write_index_;
  const std::atomic<std::uint32_t>& enabled_;
  std::size_t max_event_bytes_;
};

// An event registered by this process; it exists while any process has it registered.
class RegisteredEvent {
 public:
  // Throws Error.
  RegisteredEvent(const tracefs::TraceFolder& root, const std::string& name);

  void close() noexcept { file_.close(); }
  bool is_open() const { return file_.is_open(); }

  EventWriter writer(std::size_t max_event_bytes) const {
    return {file_.native(), write_index_, enabled_, max_event_bytes};
  }

 private:
  tracefs::Handle file_;
  alignas(8) std::atomic<std::uint32_t> enabled_ = 0;
  std::uint32_t write_index_ = 0;
};

// Removes an event that no process has registered any more; before Linux 6.6 it stays otherwise.
void delete_event(const tracefs::TraceFolder& root, const std::string& name) noexcept;

// Removes the events whose name is ours and whose process is gone.
void sweep_events(const tracefs::TraceFolder& root);

}  // namespace tailgate::user_events
