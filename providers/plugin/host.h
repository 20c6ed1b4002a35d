// The process that loads a plugin for the program: it describes the sink, and it holds the session.
// If the plugin crashes, hangs or writes where it must not, this process ends, and the program says
// so. They talk through shared memory, one question and one answer at a time.
#pragma once

#include <chrono>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "harness/os/process.h"
#include "harness/os/shared_memory.h"
#include "harness/sink/sink.h"

namespace tailgate::plugin_detail {

inline constexpr std::chrono::seconds kAnswerWithin{20};

class PluginHost {
 public:
  // Starts the process. output: where its output goes; empty: to this process's standard error.
  // Throws Error.
  PluginHost(std::filesystem::path library, const std::filesystem::path& output);

  // Has the process do something with the plugin: {"do": "describe"}, … (host.cpp lists them).
  // Returns its answer. Throws Error if the plugin reports one, ends the process, or does not
  // answer within the time; it is then gone.
  nlohmann::json ask(const nlohmann::json& question, std::chrono::seconds within = kAnswerWithin);

  int pid() const { return child_.pid(); }

 private:
  [[noreturn]] void give_up(const std::string& what, const std::string& doing);

  std::filesystem::path library_;
  std::filesystem::path output_;
  SharedMemory memory_;
  Child child_;
};

// A question about one trial: what to do, and the trial's context.
nlohmann::json question_of(const char* what, const TrialContext& context);

}  // namespace tailgate::plugin_detail

namespace tailgate {

// Call it in main(), beside run_role. If the arguments name the plugin's process, runs it and
// returns its exit code.
std::optional<int> run_plugin_process(int argc, char** argv);

}  // namespace tailgate
