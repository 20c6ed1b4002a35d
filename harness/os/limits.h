// What the system allows this user, and how much it has left. A fact that the system does not tell
// is absent.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>

namespace tailgate {

inline constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

struct SystemLimits {
  std::optional<bool> administrator;            // root, or an elevated administrator
  std::optional<std::uint64_t> open_files;      // of this process
  std::optional<std::uint64_t> locked_bytes;    // memory that this process may lock in RAM
  std::optional<std::uint64_t> datagram_queue;  // datagrams that wait in a Unix socket
                                                // (net.unix.max_dgram_qlen)
  std::optional<double> cpu_quota;  // of the control group, in processors; infinity: none
  std::optional<std::uint64_t> available_bytes;  // of main memory, without swapping
  std::optional<std::uint64_t> swap_bytes;
  std::optional<std::uint64_t> swap_used_bytes;
};

SystemLimits read_system_limits();

// Whether the folder's file system keeps files in main memory only (tmpfs).
std::optional<bool> is_in_memory(const std::filesystem::path& folder);

}  // namespace tailgate
