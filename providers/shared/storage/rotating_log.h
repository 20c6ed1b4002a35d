// A log of events in numbered files, within a total size: at the cap it removes its oldest file, or
// takes no more events.
#pragma once

#include <cstdint>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "providers/shared/storage/rotation_requests.h"

namespace tailgate {

class RotatingLog {
 public:
  enum class AtCap { remove_oldest, refuse };
  // What a file's name ends with: its number, or the time of its launch in UTC, to the nanosecond
  // or, as programs do it whose launches then overwrite each other, to the second.
  enum class Names { numbers, times, seconds };
  struct Plan {
    std::uint64_t max_bytes = 0;  // of all files together
    unsigned files = 1;           // of equal size
    AtCap at_cap = AtCap::remove_oldest;
    Names names = Names::numbers;
    // After so many events the log begins anew, as in a program that was started again. 0: never.
    std::uint64_t launch_events = 0;
    // Somebody who may ask it to begin its next file; must outlive the log.
    RotationRequests* requests = nullptr;
    // A planted fault: the oldest file is removed only so many events after the next was begun.
    std::uint64_t late_events = 0;
  };

  // stem: the files' path, but for what ends each name. Removes the oldest files of earlier
  // launches until a whole one has room, and creates the first one. Throws Error.
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
    std::filesystem::path path;
    std::uint64_t bytes;
    std::uint64_t events;
  };

  std::filesystem::path next_path();
  int begin_file();
  bool file_is_over() const;
  bool rotate(int& error);
  bool over_cap() const;
  void remove_oldest();
  void find_earlier_launches();

  std::filesystem::path stem_;
  Plan plan_;
  std::uint64_t file_bytes_;
  std::mutex mutex_;
  std::FILE* file_ = nullptr;
  std::filesystem::path path_;  // of the current file
  std::uint64_t number_ = 0;    // of the next file, where names are numbers
  std::int64_t last_ns_ = 0;    // in the current file's name, where names are times
  std::uint64_t bytes_ = 0;     // in it
  std::uint64_t events_ = 0;    // in it
  std::deque<Full> full_;       // the files before it that are still there, the oldest first
  std::map<std::filesystem::path, std::uint64_t> events_in_;  // of launches of this process
  std::uint64_t removed_events_ = 0;
};

}  // namespace tailgate
