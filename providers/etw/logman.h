// logman.exe, Windows' own program for tracing sessions, as the controller of ours.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "providers/sink.h"

namespace tailgate::etw {

// Throws Error that names an option which logman has nothing for.
void check_logman_can(const Options& options);

// Its arguments to start the trial's session and enable the provider in it, by one call
// (https://learn.microsoft.com/windows-server/administration/windows-commands/logman).
std::vector<std::string> logman_start(const TrialContext& context, const std::string& session);

// Environment variable that names another program in its place; for tests.
inline constexpr const char* kLogmanVariable = "TAILGATE_ETW_LOGMAN";

// Runs it, its output in that file. Throws Error when it fails, with what it said, or takes longer
// than that. (logman_windows.cpp)
void run_logman(const std::vector<std::string>& arguments, std::chrono::seconds limit,
                const std::filesystem::path& output);

}  // namespace tailgate::etw
