// A sink that is a program in another language: the program makes the calls of the load.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "harness/sink/sink.h"

namespace tailgate::plugin_detail {

// Whether a sink of that name is described by a file of driver_file.h.
bool is_driver_file(std::string_view name);

// Throws Error if the file cannot be read or describes no sink. It runs nothing of the program's.
std::shared_ptr<const SinkType> load_driver(const std::filesystem::path& file);

// Whether the program of a command can be executed; a name without a slash is looked up in PATH,
// any other is relative to the directory. Systems that run no drivers: no, and why.
Probe probe_program(const std::string& program, const std::filesystem::path& directory);

}  // namespace tailgate::plugin_detail
