#include "harness/exec/call_outcome.h"

#include <fmt/format.h>

#include <bit>

namespace tailgate {
namespace {

// The first library that was named but not loaded; empty if there is none.
std::string missing_library(const CallList& calls, const CallCounts& counts) {
  const auto first = static_cast<std::size_t>(std::countr_one(counts.libraries_loaded));
  return first < calls.functions.size() ? calls.functions[first].library : "";
}

std::string why_not_seen(const CallList& calls, const CallCounts& counts) {
  if (calls.means == CallMeans::uprobe) {
    return "check that it calls them; where the compiler has inlined a function, there is no call";
  }
  if (calls.means != CallMeans::audit) {
    return "check the names, and that the program is linked dynamically and calls them through a "
           "shared library";
  }
  if (const std::string library = missing_library(calls, counts); !library.empty()) {
    return fmt::format("it loaded no library '{}'", library);
  }
  if (counts.functions_bound == 0) {
    return "it bound none of them: check the names, and that another library or program calls "
           "them; one that no file exports needs a program that is not stripped";
  }
  return "it bound them, and then did not call them lazily: it must not be linked with -z now or "
         "compiled with -fno-plt";
}

}  // namespace

std::string why_no_call(const CallList& calls, const CallMemory& memory) {
  const CallCounts counts = memory.counts();
  if (const auto version = memory.other_version()) {
    return fmt::format(
        "the program was built with version {} of tailgate/mark.h, where this "
        "tailgate has version {}: build it with this one",
        *version, TAILGATE_MARK_VERSION);
  }
  if (counts.started > 0) {
    return fmt::format("{} calls began, and none returned", counts.started);
  }
  if (calls.means == CallMeans::mark) {
    return "the program marked no call: build it with tailgate/mark.h, or name the functions to "
           "time with --calls";
  }
  return fmt::format("the program made no call of {} that could be timed by {}: {}",
                     functions_text(calls), means_name(calls.means), why_not_seen(calls, counts));
}

std::optional<Remark> remark_on_calls_not_timed(const CallCounts& counts) {
  if (counts.records_lost > 0) {
    return Remark{
        fmt::format("about {} calls were not timed: {} records of them found the kernel's "
                    "buffer full",
                    counts.calls_not_timed, counts.records_lost),
        "give tailgate a processor of its own (--controller-cpus), or time a function "
        "that is called less often"};
  }
  if (counts.calls_not_timed == 0) return {};
  return Remark{
      fmt::format("{} calls of {} threads were not timed: there is room for {} threads at "
                  "a time",
                  counts.calls_not_timed, counts.threads_not_timed, CallMemoryPlan{}.threads),
      "run the program with fewer threads"};
}

}  // namespace tailgate
