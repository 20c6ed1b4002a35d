// The entries of one journal directory, through libsystemd.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

struct sd_journal;

namespace tailgate::journald {

class JournalReader {
 public:
  // Stands before the first entry. Throws Error.
  explicit JournalReader(const std::filesystem::path& directory);
  ~JournalReader();
  JournalReader(const JournalReader&) = delete;
  JournalReader& operator=(const JournalReader&) = delete;

  // Moves on by one entry; false at the end, for now. Throws Error.
  bool next();

  // Takes notice of files that were rotated, added or removed.
  void refresh();

  // The current entry's value of a field, at most once per entry and field; empty when it has none
  // or it cannot be read. Valid until the next move.
  std::span<const std::byte> field(const char* name) const;
  std::string text(const char* name) const;

  // Likewise, of a field that every entry has: looks again for a while. An entry that the daemon
  // appended just now may lack a field whose object libsystemd cannot reach yet, and have it at the
  // second look (seen with systemd 252: about one in a million entries on a busy machine).
  std::span<const std::byte> awaited_field(const char* name) const;

  // The current entry is one that journald wrote about itself; looks again, too.
  bool by_the_daemon() const;

  // The number that the daemon gave to the current entry: without gaps for all that it ever stored,
  // files that are gone included. Throws Error.
  std::uint64_t sequence() const;

  // The sequence number of the last entry that is not the daemon's own, or of what stood before the
  // daemon's own entries at the end; 0 when the journal is empty. Moves. Throws Error.
  std::uint64_t last_foreign_sequence();

 private:
  std::string directory_;
  sd_journal* journal_ = nullptr;
};

}  // namespace tailgate::journald
