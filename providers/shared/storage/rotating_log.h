// A log of events in numbered files, within a total size: at the cap it removes its oldest file, or
// takes no more events.
#pragma once

#include <cstdint>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <mutex>
#include <span>
#include <vector>

namespace tailgate {

class RotatingLog {
 public:
  enum class AtCap { remove_oldest, refuse };
  struct Plan {
    std::uint64_t max_bytes = 0;  // of all files together
    unsigned files = 1;           // of equal size
    AtCap at_cap = AtCap::remove_oldest;
    // A planted fault: the oldest file is removed only so many events after the next was begun.
    std::uint64_t late_events = 0;
  };

  // stem: the files' path, but for the number that ends each name. Creates the first one. Throws
  // Error.
  RotatingLog(std::filesystem::path stem, const Plan& plan);
  ~RotatingLog() { close(); }
  RotatingLog(const RotatingLog&) = delete;
  RotatingLog& operator=(const RotatingLog&) = delete;

  enum class Append { done, at_cap, failed };

  // Appends the event by one unbuffered write, under a lock that all threads share. error: the
  // errno of what failed.
  Append append(std::span<const std::byte> event, int& error) noexcept;

  // Removes what is still to be removed. A second call does nothing.
  void close() noexcept;

  // Events in the files that were removed; complete after close().
  std::uint64_t removed_events() const { return removed_events_; }

  // The files that there are, the oldest first.
  static std::vector<std::filesystem::path> files_of(const std::filesystem::path& stem);

 private:
  struct Full {
    std::uint64_t number;
    std::uint64_t events;
  };

  std::filesystem::path path_of(std::uint64_t number) const;
  int begin_file();
  bool rotate(int& error);
  void remove_oldest();

  std::filesystem::path stem_;
  Plan plan_;
  std::uint64_t file_bytes_;
  std::mutex mutex_;
  std::FILE* file_ = nullptr;
  std::uint64_t number_ = 0;  // of the current file
  std::uint64_t bytes_ = 0;   // in it
  std::uint64_t events_ = 0;  // in it
  std::deque<Full> full_;     // the files before it that are still there, the oldest first
  std::uint64_t removed_events_ = 0;
};

}  // namespace tailgate
