// The code that a process has mapped: names its functions and finds callers, by elfutils' libdwfl.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/profile/perf_samples_linux.h"

namespace tailgate::profile {

struct UserFunction {
  std::string name;  // demangled; "[module]" where the module has no symbol for the address
  std::string module;
};

// The addresses of a stack, from the instruction that ran outwards.
struct UserStack {
  std::vector<std::uint64_t> addresses;
  bool complete = false;  // up to the thread's start
};

class ProcessImage {
 public:
  // Reads the list of what the process has mapped. If there is no such process, nothing is found.
  explicit ProcessImage(int pid);
  ~ProcessImage();
  ProcessImage(const ProcessImage&) = delete;
  ProcessImage& operator=(const ProcessImage&) = delete;

  // Adds what the process has mapped since, and opens the files of all; what is in its memory only
  // can be read as long as the process exists. Begins anew if the process has become another
  // program. Keeps what it has if the process has ended.
  void refresh();

  // Names the function of an address. caller: it is a return address, behind the call.
  UserFunction function_at(std::uint64_t address, bool caller);

  // Finds the callers by the unwind tables of the code, and by the sampled piece of the stack.
  UserStack unwind(const PerfSample& sample);

 private:
  class Modules;

  const int pid_;
  std::string program_;  // the file that the process runs
  std::unique_ptr<Modules> modules_;
};

}  // namespace tailgate::profile
