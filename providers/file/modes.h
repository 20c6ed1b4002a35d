// What the file sink needs from the operating system: one provider per mode. modes_linux.cpp names
// the modes of Linux; stdio and mmap are portable.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "providers/sink.h"

namespace tailgate::file {

struct Mode {
  std::string name;
  std::string help;  // what emit() does
  FileGrowth growth = FileGrowth::append;
  bool buffered = false;  // emit() may return with the event still in this process
  bool accounts_losses = true;
  Probe (*probe)(const Options& options);
  // Opens an existing file. Throws Error.
  std::unique_ptr<Provider> (*open)(const TrialContext& context, const std::filesystem::path& path);
};

}  // namespace tailgate::file
