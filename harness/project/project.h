// A project that tailgate gates: the file tailgate.toml at its root says how it is built, what the
// build makes, and which runs and rules the gate has. README.md describes the file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tailgate {

inline constexpr const char* kProjectFileName = "tailgate.toml";

// A program of the project's own, of which two revisions are a duet of commands. Its figures are
// what it prints, or the times of calls that it makes, or its own time.
struct ProjectBenchmark {
  std::string name;
  std::string command;               // for the shell, started in the project's root
  std::string from;                  // name of a sample format, of what it prints; or empty
  std::string calls;                 // to be timed, as `tailgate exec --calls` has it; or empty
  std::string margin;                // "5%"; empty: the default
  std::vector<std::string> metrics;  // only these are judged; empty: all
  double timeout_s = 600;            // of each run
  std::string cpus = "auto";         // as --load-cpus of `tailgate duet`
};

// What the build makes, for the sinks of the runs.
enum class BuildMakes {
  nothing,   // there are only benchmarks
  plugin,    // a shared library that is a sink (tailgate/sink.h)
  tailgate,  // another build of tailgate, which has its own sinks
};

struct Project {
  std::filesystem::path file;  // tailgate.toml
  std::string build;           // command for the shell, started in the project's root
  double build_timeout_s = 3600;
  BuildMakes makes = BuildMakes::nothing;
  std::filesystem::path made;  // relative to the project's root
  unsigned layouts = 0;        // in memory, of what the build links; 0: as the build makes it
  std::vector<std::filesystem::path> programs;  // that have layouts besides `made`, likewise
  std::filesystem::path policy;  // with the runs; the project's file unless it names another
  std::vector<ProjectBenchmark> benchmarks;

  std::filesystem::path root() const { return file.parent_path(); }

  // What has layouts, relative to the root: what the build makes, and the programs.
  std::vector<std::filesystem::path> linked() const;

  // What a run's sink names on the side that is built there. "plugin" and "plugin:OPTIONS" stand
  // for the library in a project whose build makes one. Throws Error for another sink of such a
  // project.
  std::string sink_of(const std::string& sink, const std::filesystem::path& side_root) const;
};

// The project's file in `start` or the nearest folder above it; nothing if there is none.
std::optional<std::filesystem::path> find_project_file(const std::filesystem::path& start);

// Reads a project's file. `file` must be absolute. What it says of the gate is read by load_policy,
// and so are the rest of its keys. Throws Error with "FILE:LINE: " in front for what is not TOML or
// does not fit.
Project load_project(const std::filesystem::path& file);

// The same from text; `file` stands for the origin and the root.
Project parse_project(std::string_view text, const std::filesystem::path& file);

}  // namespace tailgate
