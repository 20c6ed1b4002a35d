// Files of the kernel's that are read again and again, and numbers found in them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tailgate {

// Opened once, read from its beginning each time. One under /proc/PID stays that process's: after
// its end reading fails, even when another has got its number.
class ProcFile {
 public:
  ProcFile() = default;
  explicit ProcFile(const std::string& path);
  ~ProcFile();
  ProcFile(ProcFile&& other) noexcept;
  ProcFile& operator=(ProcFile&& other) noexcept;

  bool is_open() const { return file_ >= 0; }

  // The content now, valid until any other ProcFile is read in this thread; empty when it cannot
  // be read. At most 64 KiB.
  std::string_view read() const;

 private:
  int file_ = -1;
};

// The whole number that follows `key` and blanks, where key begins a line: "VmRSS:" in status.
std::optional<std::uint64_t> number_after(std::string_view text, std::string_view key);

// The whole number in the blank-separated field `index`, from 0, of the first line.
std::optional<std::uint64_t> number_at(std::string_view line, std::size_t index);

// "some … total=N" of pressure stall information, N in microseconds, as nanoseconds.
std::optional<std::uint64_t> some_stall_ns(std::string_view pressure);

}  // namespace tailgate
