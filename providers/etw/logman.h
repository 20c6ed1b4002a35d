// Uses logman.exe, Windows' own program for tracing sessions, as the session's controller.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/sink/sink.h"

namespace tailgate::etw {

// Throws Error that names the option when logman has no counterpart for it.
void check_logman_can(const Options& options);

// The arguments with which logman saves what the trial's session and its provider shall be, under
// the session's name; `logman start` then starts it
// (https://learn.microsoft.com/windows-server/administration/windows-commands/logman-create-trace).
// Not with -ets, which starts a session at once without saving anything: some versions of logman
// then ignore -ft and -f without an error (https://github.com/viamrobotics/rdk/pull/6026).
std::vector<std::string> logman_create(const TrialContext& context, const std::string& session);

// The saved sessions of dead processes, in what `logman query` lists: each has a line that begins
// with its name. is_dead: whether a name is that of a dead process's session.
std::vector<std::string> dead_collectors(const std::string& listed,
                                         const std::function<bool(const std::string&)>& is_dead);

// The environment variable with the path of a program to call instead; for tests.
inline constexpr const char* kLogmanVariable = "TAILGATE_ETW_LOGMAN";

// Runs logman with its output in that file, and returns the output. Throws Error with the output
// when it fails, or when it takes longer than the limit. (logman_windows.cpp)
std::string run_logman(const std::vector<std::string>& arguments, std::chrono::seconds limit,
                       const std::filesystem::path& output);

}  // namespace tailgate::etw
