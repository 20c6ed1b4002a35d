// The part of the schema that says in which functions the load's threads, the rest of the provider
// and the session's daemons spent their processor time: samples of who ran where, at a fixed rate
// of processor time. harness/result/result.h says how these structs become files, and
// harness/profile/README.md how a sample is taken and named.
//
// Times are on the run clock. A function is named by its place in Profile::functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tailgate {

// The version of this part. A field that is added later is optional, so that it stays the same;
// it rises when a field changes its meaning.
inline constexpr int kProfileVersion = 1;

struct ProfiledFunction {
  std::string name = {};
  std::string module = {};

  template <class Visitor>
  static void describe(Visitor& v) {
    v("name", &ProfiledFunction::name,
      "its name, cut to 400 bytes; in brackets where its module has no symbol for the address: "
      "'[libc.so.6]'");
    v("module", &ProfiledFunction::module,
      "name of the file of its code: a program, a library, 'kernel', a kernel module; '?' if the "
      "address belongs to none");
  }
};

// A function's share of some samples.
struct FunctionSamples {
  std::uint32_t function = 0;
  std::uint64_t exclusive = 0;
  std::uint64_t inclusive = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("function", &FunctionSamples::function, "place in functions");
    v("exclusive", &FunctionSamples::exclusive, "samples in the function itself");
    v("inclusive", &FunctionSamples::inclusive,
      "samples in the function and in all that it called");
  }
};

struct ProfiledStack {
  std::vector<std::uint32_t> functions = {};
  std::uint64_t samples = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("functions", &ProfiledStack::functions,
      "places in functions, from the outermost caller to the function that ran");
    v("samples", &ProfiledStack::samples, "samples with this stack");
  }
};

struct RoleProfile {
  std::string role = {};
  std::uint32_t threads = 0;
  std::uint64_t samples = 0;
  std::uint64_t cut_stacks = 0;
  std::vector<FunctionSamples> functions = {};
  std::vector<ProfiledStack> stacks = {};
  std::uint64_t left_out = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("role", &RoleProfile::role,
      "load (the load's threads), provider (the other threads of the provider process) or daemons "
      "(the session's processes and those that they started)");
    v("threads", &RoleProfile::threads, "threads that were seen on a processor");
    v("samples", &RoleProfile::samples,
      "samples during the recorded load; their number is proportional to processor time");
    v("cut_stacks", &RoleProfile::cut_stacks,
      "those whose callers are not known up to the thread's start");
    v("functions", &RoleProfile::functions,
      "the functions, most exclusive samples first: the 500 first of them, and those that stacks "
      "name");
    v("stacks", &RoleProfile::stacks, "the stacks, most samples first, at most 1000");
    v("left_out", &RoleProfile::left_out, "samples whose stacks are not listed");
  }
};

// Samples of a slow call that were in one function.
struct CallFunction {
  std::uint32_t function = 0;
  std::uint64_t samples = 0;
  std::uint64_t calls = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("function", &CallFunction::function, "place in functions: the function that ran");
    v("samples", &CallFunction::samples, "samples in it during the slow calls");
    v("calls", &CallFunction::calls, "slow calls that were in it at a sample");
  }
};

// The functions in which the slow calls of a tail were.
struct ProfiledTail {
  std::string measure = {};
  std::uint64_t calls = 0;
  std::uint64_t calls_sampled = 0;
  std::uint64_t samples = 0;
  std::vector<CallFunction> functions = {};

  template <class Visitor>
  static void describe(Visitor& v) {
    v("measure", &ProfiledTail::measure,
      "service (from a call's start to its return) or response (from its intended start)");
    v("calls", &ProfiledTail::calls, "slow calls, as in ExplainedTail");
    v("calls_sampled", &ProfiledTail::calls_sampled,
      "those during which a sample of their thread was taken");
    v("samples", &ProfiledTail::samples, "these samples");
    v("functions", &ProfiledTail::functions, "where they were, most samples first, at most 50");
  }
};

// A sample during one of the explanation's windows or listed calls.
struct ProfileSample {
  std::uint64_t time_ns = 0;
  std::string role = {};
  std::uint32_t pid = 0;
  int cpu = -1;
  std::vector<std::uint32_t> functions = {};

  template <class Visitor>
  static void describe(Visitor& v) {
    v("time_ns", &ProfileSample::time_ns, "when");
    v("role", &ProfileSample::role, "as in RoleProfile");
    v("pid", &ProfileSample::pid, "the thread");
    v("cpu", &ProfileSample::cpu, "its processor; -1 if that is not known");
    v("functions", &ProfileSample::functions,
      "places in functions, from the outermost caller to the function that ran");
  }
};

// In which functions a traced trial spent its time.
struct Profile {
  int version = kProfileVersion;
  std::string method = {};
  std::string limits = {};
  double rate_hz = 0;
  std::string callers = {};
  bool kernel = false;
  std::uint64_t samples = 0;
  std::uint64_t lost = 0;
  std::vector<ProfiledFunction> functions = {};
  std::vector<RoleProfile> roles = {};
  std::vector<ProfiledTail> tails = {};
  std::vector<ProfileSample> marks = {};
  std::uint64_t marks_left_out = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("version", &Profile::version, "version of this part of the schema");
    v("method", &Profile::method,
      "cpu_cycles (the processor's counter), cpu_clock (the kernel's timer) or none");
    v("limits", &Profile::limits,
      "what could not be sampled here, why, and what would help; empty for nothing");
    v("rate_hz", &Profile::rate_hz,
      "samples that were asked for, per second of a thread's processor time; on Windows, that "
      "Windows granted");
    v("callers", &Profile::callers,
      "how a function's callers were found: dwarf (the unwind tables of programs and libraries), "
      "frame_pointers, kernel_walk (Windows' kernel walked the stack), or none");
    v("kernel", &Profile::kernel, "whether time in the kernel was sampled");
    v("samples", &Profile::samples, "samples of the whole trial");
    v("lost", &Profile::lost,
      "samples that the kernel could not hand on: the ring was full; on Windows, records of any "
      "kind");
    v("functions", &Profile::functions, "every function that this profile names");
    v("roles", &Profile::roles, "the recorded load's samples, by role");
    v("tails", &Profile::tails,
      "the functions in which slow calls were. A sample lengthens the call in which it is taken, "
      "so a call may be slow because it was sampled");
    v("marks", &Profile::marks, "samples around the listed calls, by time, at most 4000");
    v("marks_left_out", &Profile::marks_left_out, "those that are not listed");
  }
};

}  // namespace tailgate
