// Result files: how they are named, found, read and written.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/result/calibration.h"
#include "harness/result/command_duet.h"
#include "harness/result/duet.h"
#include "harness/result/result.h"

namespace tailgate {

// Returns the name of a run's file: "<scenario>@<sink with its options>[@preset][+settings].json",
// for example "steady@file_mode-mmap@quick+rate_hz-5000.json". sink: its label; preset: may be
// empty; settings: those of the scenario that distinguish this run from others. ':' and ','
// become '_', and '=' becomes '-'. If two different parts could get the same text, because of that,
// of a character that not every file system accepts, or of the length, a hash of the part is
// appended. So runs that differ in scenario, sink options, preset or given settings have different
// names, also on file systems that ignore case.
std::string result_file_name(const std::string& scenario, const std::string& sink,
                             const std::string& preset, const std::vector<Setting>& settings);

// Returns a file's text; of one that is longer than any document, its beginning, which the readers
// refuse for its length. Throws Error if the file cannot be read.
std::string read_document_text(const std::filesystem::path& path);

// Reads one result file. Throws Error if the file cannot be read, and like read_result.
Result load_result(const std::filesystem::path& path);

// Writes a result file atomically (see write_file_atomically). For tests: a run's file grows.
void save_result(const std::filesystem::path& path, const Result& result);

// The same for duets.
Duet load_duet(const std::filesystem::path& path);
// For tests, too.
void save_duet(const std::filesystem::path& path, const Duet& duet);

// The same for calibrations.
Calibration load_calibration(const std::filesystem::path& path);
void save_calibration(const std::filesystem::path& path, const Calibration& calibration);

// A duet of commands.
CommandDuet load_command_duet(const std::filesystem::path& path);
bool is_command_duet_file(const std::filesystem::path& path);

// Whether a file states the duet format; also false if it cannot be read.
bool is_duet_file(const std::filesystem::path& path);

// Returns the given files, and for a directory the result files directly inside it, sorted by name.
// Skips other .json files in a directory (data of plots, verdicts). Throws Error if a path does not
// exist or a directory contains no result.
std::vector<std::filesystem::path> find_result_files(
    const std::vector<std::filesystem::path>& files_and_directories);

}  // namespace tailgate
