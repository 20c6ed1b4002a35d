#include "providers/user_events/registration_linux.h"

#include <fcntl.h>
#include <sys/uio.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "harness/base/error.h"
#include "harness/tracefs/instance.h"

namespace tailgate::user_events {
namespace {

constexpr const char* kDataFile = "user_events_data";

}  // namespace

std::string event_name(std::string instance_name) {
  std::replace(instance_name.begin(), instance_name.end(), '-', '_');
  return instance_name;
}

EventWriter::EventWriter(int file, std::uint32_t write_index,
                         const std::atomic<std::uint32_t>& enabled, std::size_t max_event_bytes)
    : file_(file),
      write_index_(write_index),
      enabled_(enabled),
      max_event_bytes_(max_event_bytes) {}

EmitStatus EventWriter::write(std::span<const std::byte> event) const noexcept {
  if (enabled_.load(std::memory_order_relaxed) == 0) return kNotEnabled;
  if (event.size() > max_event_bytes_) return kTooLong;
  // A write begins with the index, which the kernel strips, and the field's location: length << 16
  // | distance of the data from the end of the location word.
  std::uint32_t front[2] = {write_index_, static_cast<std::uint32_t>(event.size()) << 16};
  const iovec parts[2] = {{front, sizeof front},
                          {const_cast<std::byte*>(event.data()), event.size()}};
  if (::writev(file_, parts, 2) >= 0) [[likely]]
    return kAccepted;
  return errno == EBADF ? kNotTaken : kOther;
}

RegisteredEvent::RegisteredEvent(const tracefs::TraceFolder& root, const std::string& name)
    : file_(root.open(kDataFile, O_RDWR)) {
  const std::string command = name + " __rel_loc u8[] " + kField;
  Registration registration;
  registration.enable_addr = std::bit_cast<std::uintptr_t>(&enabled_);
  registration.name_args = std::bit_cast<std::uintptr_t>(command.c_str());
  if (::ioctl(file_.native(), kRegister, &registration) != 0) {
    throw system_error("register user event", command, errno,
                       "use a kernel of version 6.4 or later with CONFIG_USER_EVENTS=y");
  }
  write_index_ = registration.write_index;
}

void delete_event(const tracefs::TraceFolder& root, const std::string& name) noexcept {
  const tracefs::Handle file(::openat(root.native(), kDataFile, O_RDWR | O_CLOEXEC));
  if (file.is_open()) ::ioctl(file.native(), kDelete, name.c_str());
}

void sweep_events(const tracefs::TraceFolder& root) {
  if (!root.has("events/user_events")) return;
  for (const std::string& name : root.folders_in("events/user_events")) {
    const int pid = tracefs::owner_pid(name, '_');
    if (pid != 0 && tracefs::process_is_gone(pid)) delete_event(root, name);
  }
}

}  // namespace tailgate::user_events
