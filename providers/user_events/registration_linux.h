// The kernel's interface for events that programs register themselves.
//
// Source: Documentation/trace/user_events.rst and include/uapi/linux/user_events.h of Linux 6.4.
// That is the first version in which the kernel tells a program through a word in the program's
// memory whether the event is enabled. The definitions are repeated here because Debian 12 has
// older headers.
#pragma once

#include <sys/ioctl.h>

#include <atomic>
#include <cstdint>
#include <span>
#include <string>

#include "harness/sink/sink.h"
#include "harness/tracefs/trace_folder.h"

namespace tailgate::user_events {

// Argument of kRegister. The kernel reads size, enable_*, flags and name_args and fills in
// write_index.
struct [[gnu::packed]] Registration {
  std::uint32_t size = sizeof(Registration);
  std::uint8_t enable_bit = 0;   // bit of the word at enable_addr: set while the event is enabled
  std::uint8_t enable_size = 4;  // size of that word, in bytes
  std::uint16_t flags = 0;
  std::uint64_t enable_addr = 0;
  std::uint64_t name_args = 0;  // address of "name type field; type field …"
  std::uint32_t write_index = 0;
};
static_assert(sizeof(Registration) == 28);

// The request numbers encode the size of a pointer to the argument, not of the argument.
inline constexpr unsigned long kRegister = _IOWR('*', 0, Registration*);
inline constexpr unsigned long kDelete = _IOW('*', 1, char*);

// The event's one field: the location of a variable number of bytes in the record.
inline constexpr const char* kField = "event";

// Makes an event name of "tailgate-1-0123abcd"; the kernel accepts no hyphens in it.
std::string event_name(std::string instance_name);

// Writes events of one kind. Several threads may use it at once.
class EventWriter {
 public:
  // file: user_events_data, on which write_index was registered. enabled: the word that the kernel
  // updates; it must outlive this object. max_event_bytes: the kernel drops longer events silently.
  EventWriter(int file, std::uint32_t write_index, const std::atomic<std::uint32_t>& enabled,
              std::size_t max_event_bytes);

  enum Refusal : EmitStatus { kClosed = 1, kNotEnabled, kTooLong, kNotTaken, kOther };

  // Returns kAccepted or a Refusal.
  EmitStatus write(std::span<const std::byte> event) const noexcept;

 private:
  int file_;
  std::uint32_t write_index_;
  const std::atomic<std::uint32_t>& enabled_;
  std::size_t max_event_bytes_;
};

// An event that this process registered. The event exists while any process has it registered.
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

// Removes an event that no process has registered any more. Before Linux 6.6 it would stay
// otherwise.
void delete_event(const tracefs::TraceFolder& root, const std::string& name) noexcept;

// Removes tailgate's events whose process has ended.
void sweep_events(const tracefs::TraceFolder& root);

}  // namespace tailgate::user_events
