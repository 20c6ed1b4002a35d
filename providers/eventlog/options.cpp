#include "providers/eventlog/options.h"

#include <fmt/format.h>

namespace tailgate::eventlog {
namespace {

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const char letter : text) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001B3u;
  }
  return hash;
}

}  // namespace

OptionTable options() {
  constexpr double kMinLogBytes = 1 << 20;
  constexpr double kMaxLogBytes = 4e9;
  return {
      choice_option("log", "own",
                    "own: the log Tailgate, registered for the run; application: Windows' log of "
                    "that name, which other programs write to as well",
                    {"own", "application"}),
      choice_option("when_full", "overwrite",
                    "own: a full log overwrites its oldest events or refuses new ones",
                    {"overwrite", "refuse"}),
      {"log_bytes", OptionType::integer, "64Mi", "own: size of the log, in steps of 64 KiB",
       kMinLogBytes, kMaxLogBytes},
  };
}

std::string log_name(const Options& options) {
  return options.text("log") == "own" ? kOwnLog : "Application";
}

std::string source_name(const TrialContext& context) {
  return fmt::format("{}{:016x}", kSourcePrefix, fnv1a(context.directory.string()));
}

}  // namespace tailgate::eventlog
