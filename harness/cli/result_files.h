// The result files of one `tailgate run`: their names, and how they are written.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/cli/growing_file.h"
#include "harness/result/result.h"
#include "harness/run/runner.h"

namespace tailgate {

// A command of many runs ends them when their files together have grown to this size: the results
// stay in memory.
inline constexpr std::size_t kMaxTogetherBytes = 256'000'000;

class ResultFiles {
 public:
  // all: the runs of the whole preset, of which this command may run a part. given: the settings
  // that the user gave, which are part of every name. Where runs of one scenario on one sink differ
  // in other options, those are part of the name, too. Throws Error if two runs do not differ at
  // all.
  ResultFiles(std::filesystem::path folder, const std::vector<RunRequest>& all,
              std::vector<Setting> given);

  // Where the run's file is to be.
  std::filesystem::path place_of(const RunRequest& run) const;

  // Throws UsageError if a file of these runs is there already, unless force, or unless the run
  // goes on from it.
  void open(const std::vector<RunRequest>& runs, bool force);

  // Writes the run's file (see GrowingFile::save).
  void save(const Result& run);

  // Where the run's result is.
  const std::filesystem::path& written_to(const Result& run) const;

  // Whether the run's file, or all files together, are as large as they may be.
  bool full(const Result& run) const;

  // Whether every result is in the folder.
  bool all_in_place() const;

 private:
  // What a run and its result have in common.
  struct Identity {
    std::string scenario;
    std::string preset;
    std::vector<Setting> options;
    std::string sink;
  };
  static Identity of(const RunRequest& run);
  static Identity of(const Result& run);
  std::string name_of(const Identity& run) const;

  std::filesystem::path folder_;
  std::vector<Setting> given_;
  std::map<std::string, std::set<std::string>> differing_;  // option names by scenario@sink
  std::map<std::string, GrowingFile> files_;                // by name
};

}  // namespace tailgate
