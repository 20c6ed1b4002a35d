// Reads files of /proc repeatedly, and finds numbers in them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tailgate {

// A file that is opened once and read from its beginning each time. A file under /proc/PID stays
// bound to that process: after the process ends, reading fails, even if another process reuses its
// id.
class ProcFile {
 public:
  ProcFile() = default;
  explicit ProcFile(const std::string& path);
  ~ProcFile();
  ProcFile(ProcFile&& other) noexcept;
  ProcFile& operator=(ProcFile&& other) noexcept;

  bool is_open() const { return file_ >= 0; }

  // Returns the current content, up to 64 KiB; empty if it cannot be read. The view is valid until
  // this thread reads any ProcFile again.
  std::string_view read() const;

 private:
  int file_ = -1;
};

// Returns the whole number after `key` and blanks, where `key` begins a line, such as "VmRSS:".
std::optional<std::uint64_t> number_after(std::string_view text, std::string_view key);

// Returns the whole number in field `index` (from 0) of the first line; blanks separate fields.
std::optional<std::uint64_t> number_at(std::string_view line, std::size_t index);

// Returns the whole numbers that name entries of the folder, such as threads in /proc/PID/task;
// none if it cannot be read.
std::vector<int> numbers_in(const std::string& folder);

// Parses the line "some … total=N" of pressure stall information. N is in microseconds; returns
// nanoseconds.
std::optional<std::uint64_t> some_stall_ns(std::string_view pressure);

}  // namespace tailgate
