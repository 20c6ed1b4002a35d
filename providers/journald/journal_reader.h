// Reads the entries of one journal directory through libsystemd.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

struct sd_journal;

namespace tailgate::journald {

class JournalReader {
 public:
  // How often, and after what time, a field that every entry has is read again.
  static constexpr int kRetries = 50;
  static constexpr std::chrono::milliseconds kRetryInterval{1};

  // Starts before the first entry. Throws Error.
  explicit JournalReader(const std::filesystem::path& directory);
  ~JournalReader();
  JournalReader(const JournalReader&) = delete;
  JournalReader& operator=(const JournalReader&) = delete;

  // Moves to the next entry; false at the end, for now. Throws Error.
  bool next();

  // Notices files that were rotated, added or removed.
  void refresh();

  // The value of a field of the current entry; empty when the entry lacks it or it cannot be read.
  // Ask for a field once per entry. Valid until the next move.
  std::span<const std::byte> field(const char* name) const;
  std::string text(const char* name) const;

  // The same for a field that every entry has: retries for a while. libsystemd sometimes cannot
  // reach a field of an entry that journald appended just now, and finds it on a retry (seen with
  // systemd 252: about one in a million entries on a busy machine).
  std::span<const std::byte> field_with_retry(const char* name) const;

  // Hands over all fields of the current entry, "NAME=value"; each is valid during its call only.
  // One that cannot be read ends it.
  void each_field(const std::function<void(std::span<const std::byte>)>& visit) const;

  // Whether journald wrote the current entry about itself; retries, too.
  bool written_by_journald() const;

  // The sequence number of the current entry. journald numbers all entries that it ever stored
  // without gaps, those of removed files included. Throws Error.
  std::uint64_t sequence() const;

  // The sequence number of the last entry that journald did not write about itself. If journald's
  // own entries are all that is left: the number before the first of them; 0 when the journal is
  // empty. Moves the reader. Throws Error.
  std::uint64_t last_client_sequence();

 private:
  std::string directory_;
  sd_journal* journal_ = nullptr;
};

}  // namespace tailgate::journald
