#include "harness/exec/call_timing.h"

#include <fmt/format.h>

#include <cstdlib>

#include "harness/base/error.h"
#include "harness/calls/wrapped_functions.h"
#include "harness/exec/choose_means.h"
#include "harness/os/install_paths.h"

namespace tailgate {
namespace {

// The loader takes a list of libraries, in which it knows no quotes.
std::string loadable(const std::string& library, const char* separators) {
  const std::string path = own_helper(library).string();
  if (path.find_first_of(separators) == std::string::npos) return path;
  throw Error(fmt::format("the dynamic linker cannot be told to load '{}'", path),
              "install tailgate to a path without spaces and colons");
}

// In front of what the user's environment lists already.
std::pair<std::string, std::string> loader_variable(const char* name, const std::string& path) {
  const char* const before = std::getenv(name);
  const bool any = before != nullptr && *before != '\0';
  return {name, any ? path + ":" + before : path};
}

}  // namespace

CallTiming::CallTiming(const CallList& calls, const std::optional<std::filesystem::path>& program,
                       CallMemory& memory, const ClockParameters& clock,
                       const std::filesystem::path& directory)
    : calls_(calls), memory_(memory) {
  if (calls.means != CallMeans::uprobe || !program) return;
  uprobes_.emplace(find_probe_places(calls, *program), memory, clock, directory);
}

std::vector<std::pair<std::string, std::string>> CallTiming::environment() const {
  if (calls_.means == CallMeans::none) return {};
  const bool marks = calls_.means == CallMeans::mark;
  std::vector<std::pair<std::string, std::string>> environment = {
      {TAILGATE_MARK_VARIABLE, marks ? memory_.path() : ""},
      {TAILGATE_WRAPPED_VARIABLE, marks ? "" : memory_.path()}};
  if (calls_.means == CallMeans::preload) {
    environment.push_back(
        loader_variable("LD_PRELOAD", loadable("libtailgate-preload.so", " :\t\n")));
  } else if (calls_.means == CallMeans::audit) {
    environment.push_back(loader_variable("LD_AUDIT", loadable("libtailgate-audit.so", ":")));
    environment.emplace_back("LD_BIND_NOW", "");  // lazily, as the audit interface needs it
  }
  if (calls_.means == CallMeans::preload || calls_.means == CallMeans::audit) {
    environment.emplace_back(TAILGATE_CALLS_VARIABLE, functions_text(calls_));
  }
  return environment;
}

void CallTiming::watch(int pid) {
  if (uprobes_) uprobes_->watch(pid);
}

void CallTiming::stop() {
  if (uprobes_) uprobes_->stop();
}

}  // namespace tailgate
