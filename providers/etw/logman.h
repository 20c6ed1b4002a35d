// Uses logman.exe, Windows' own program for tracing sessions, as the session's controller.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/sink/sink.h"

namespace tailgate::etw {

// Throws Error that names the option when logman has no counterpart for it.
void check_logman_can(const Options& options);

// The arguments with which one call of logman starts the trial's session and enables the provider
// (https://learn.microsoft.com/windows-server/administration/windows-commands/logman).
std::vector<std::string> logman_start(const TrialContext& context, const std::string& session);

// The environment variable with the path of a program to call instead; for tests.
inline constexpr const char* kLogmanVariable = "TAILGATE_ETW_LOGMAN";

// Runs logman with its output in that file. Throws Error with the output when it fails, or when it
// takes longer than the limit. (logman_windows.cpp)
void run_logman(const std::vector<std::string>& arguments, std::chrono::seconds limit,
                const std::filesystem::path& output);

}  // namespace tailgate::etw
