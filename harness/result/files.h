// Result files: how they are named, found, read and written.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/result/calibration.h"
#include "harness/result/duet.h"
#include "harness/result/result.h"

namespace tailgate {

// The name of a run's file: "<scenario>@<sink with its options>[@preset][+settings].json", for
// example "steady@file_mode-mmap@quick+rate_hz-5000.json". scenario_given: the settings that the
// user gave for the scenario itself, which the result does not tell from defaults. ':' and ','
// became
// '_', and '=' became '-'; where that (or a character that not every file system takes, or the
// length) could let two different parts share a name, a hash of the part is appended. So runs that
// differ in scenario, sink options, preset or given settings have different names, also on file
// systems that ignore case.
std::string result_file_name(const Result& result, const std::vector<Setting>& scenario_given = {});

// Reads one result file. Throws Error when the file cannot be read, and as read_result.
Result load_result(const std::filesystem::path& path);

// Writes a result file in one step (see write_file_atomically): what was there before stays until
// the new result is on disk. Throws Error when it cannot be written, and as write_result.
void save_result(const std::filesystem::path& path, const Result& result);

// The same for duets.
Duet load_duet(const std::filesystem::path& path);
void save_duet(const std::filesystem::path& path, const Duet& duet);

// The same for calibrations.
Calibration load_calibration(const std::filesystem::path& path);
void save_calibration(const std::filesystem::path& path, const Calibration& calibration);

// Whether a file names itself a duet; false too when it cannot be read.
bool is_duet_file(const std::filesystem::path& path);

// The given files, and for a directory the result files directly inside it, by name; what else is
// a .json file there (plots' data, verdicts) is passed over. Throws Error when a path does not
// exist or a directory holds no result.
std::vector<std::filesystem::path> find_result_files(
    const std::vector<std::filesystem::path>& files_and_directories);

}  // namespace tailgate
