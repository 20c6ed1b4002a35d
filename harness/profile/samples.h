// Samples of what threads ran, in the form that every sampler hands them on.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/result/profile.h"

namespace tailgate::profile {

// The module of the code that Linux itself maps into every process, which reads the clock.
inline constexpr const char* kVdso = "vdso";

enum class SampledRole : std::uint8_t {
  load,      // the load's threads
  provider,  // the other threads of the provider process
  daemons,   // the session's processes and those that they started
};
inline constexpr std::size_t kSampledRoles = 3;

// The role as a result names it.
const char* role_name(SampledRole role);

// The functions that samples name, each once.
class FunctionTable {
 public:
  std::uint32_t place_of(const std::string& name, const std::string& module);
  const std::vector<ProfiledFunction>& functions() const { return functions_; }

 private:
  std::map<std::pair<std::string, std::string>, std::uint32_t> places_;
  std::vector<ProfiledFunction> functions_ = {};
};

struct StackSample {
  std::uint64_t time_ns = 0;  // on the run clock
  SampledRole role = SampledRole::load;
  std::uint32_t thread = 0;  // the system's id
  int cpu = -1;
  bool cut = false;  // the callers are not known up to the thread's start
  std::vector<std::uint32_t> functions =
      {};  // places in the table, from the function that ran outwards
  // Of page faults: the bytes that the sample stands for. They came into memory by its fault and by
  // those after it up to the next sample, and were still there when the sampler stopped. Of
  // allocations: what was asked for.
  std::uint64_t bytes = 0;
};

struct Samples {
  std::string method = {};   // as in Profile
  std::string limits = {};   // likewise
  std::string callers = {};  // likewise
  double rate_hz = 0;        // 0: every event of the method
  bool kernel = false;
  std::uint64_t lost = 0;
  FunctionTable functions = {};
  std::vector<StackSample> list = {};  // in any order
};

}  // namespace tailgate::profile
