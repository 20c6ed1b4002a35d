// Access to tracefs, the file system that controls the kernel's trace buffer. If it is not mounted,
// each process mounts it privately, without a path; that mount ends with the process.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/probe.h"

namespace tailgate::tracefs {

// An open file or folder; the destructor closes it.
class Handle {
 public:
  Handle() = default;
  explicit Handle(int descriptor) : descriptor_(descriptor) {}
  Handle(Handle&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Handle() { close(); }

  int native() const { return descriptor_; }
  bool is_open() const { return descriptor_ >= 0; }
  void close() noexcept;

 private:
  int descriptor_ = -1;
};

// A folder of tracefs. Paths are relative to it.
class TraceFolder {
 public:
  // The root of tracefs. Throws Error.
  static TraceFolder root();

  // Throws Error.
  TraceFolder folder(const std::string& path) const;

  // Opens a file; flags as for open(2). Throws Error.
  Handle open(const std::string& path, int flags) const;

  // Returns the whole file. Throws Error.
  std::string read(const std::string& path) const;

  // Writes the value with one write(2). Throws Error with the given remedy.
  void write(const std::string& path, std::string_view value, const std::string& remedy) const;

  // Returns the names of the folders in `path`. Throws Error.
  std::vector<std::string> folders_in(const std::string& path) const;

  bool has(const std::string& path) const;

  int native() const { return handle_.native(); }

 private:
  TraceFolder(Handle handle, std::string name);
  std::string full_name(const std::string& path) const { return name_ + "/" + path; }

  Handle handle_;
  std::string name_;  // for errors
};

// Whether this user can create instances here.
Probe probe_tracefs();

}  // namespace tailgate::tracefs
