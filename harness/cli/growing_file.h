// A file that a measuring command writes as it grows. Nothing that was measured is lost to the
// place where it should go: an older file stays unless the user says otherwise, and when the place
// can no longer be written, the content goes to another that the user is told of.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace tailgate {

// A command ends the measurement whose file has grown to this size. The controller writes it anew
// after each step, for which it takes up to six times as much memory.
inline constexpr std::size_t kMaxWrittenBytes = 64'000'000;

class GrowingFile {
 public:
  // force: replace a file that is there already. Throws UsageError if there is one without it.
  GrowingFile(std::filesystem::path file, bool force);

  // Writes the whole content, atomically. If that fails, writes it to a new folder among the
  // temporary files and tells where; the next call tries the first place again. Throws Error if
  // neither can be written.
  void save(const std::string& content);

  // Where the content is.
  const std::filesystem::path& written_to() const { return in_place() ? file_ : fallback_; }
  bool in_place() const { return fallback_.empty(); }

  // The size of the content.
  std::size_t bytes() const { return bytes_; }

 private:
  void save_elsewhere(const std::string& content);
  void drop_fallback();

  std::filesystem::path file_;
  std::filesystem::path fallback_;  // empty: not used
  bool replace_;                    // what is there: the user's wish, or our own
  std::size_t bytes_ = 0;
};

// Creates the folder for a command's files, notes its temporary file in the run's scratch folder
// (see harness/os/outside.h), and tries whether files can be written there. Throws Error.
void prepare_output_folder(const std::filesystem::path& folder,
                           const std::filesystem::path& scratch);

}  // namespace tailgate
