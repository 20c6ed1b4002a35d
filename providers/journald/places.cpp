#include "providers/journald/places.h"

#include <algorithm>
#include <fstream>

#include "harness/base/error.h"

namespace tailgate::journald {
namespace {

constexpr std::size_t kIdDigits = 32;

std::filesystem::path base_file(const TrialContext& context) {
  return context.directory / "journal.base";
}

}  // namespace

std::string machine_id() {
  std::ifstream input("/etc/machine-id");
  std::string id;
  std::getline(input, id);
  const bool valid =
      id.size() == kIdDigits && id.find_first_not_of("0123456789abcdef") == std::string::npos;
  return valid ? id : "";
}

std::filesystem::path journal_directory(const Options& options) {
  const std::string id = machine_id();
  if (id.empty()) {
    throw Error("'/etc/machine-id' holds no id", "run systemd-machine-id-setup as root");
  }
  const bool persistent = options.text("storage") == "persistent";
  return std::filesystem::path(persistent ? "/var/log/journal" : "/run/log/journal") /
         (id + "." + kInstance);
}

void save_base_sequence(const TrialContext& context, std::uint64_t sequence) {
  std::ofstream output(base_file(context));
  output << sequence << '\n';
  if (!output.flush()) {
    throw Error("'" + base_file(context).string() + "' cannot be written",
                "choose another --scratch folder");
  }
}

std::uint64_t load_base_sequence(const TrialContext& context) {
  std::ifstream input(base_file(context));
  std::uint64_t sequence = 0;
  if (!(input >> sequence)) {
    throw Error("'" + base_file(context).string() + "' cannot be read",
                "start the session before its consumer");
  }
  return sequence;
}

}  // namespace tailgate::journald
