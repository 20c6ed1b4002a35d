#include <charconv>
#include <string_view>

#include "harness/os/affinity.h"
#include "harness/trial/processes/role.h"

namespace tailgate {

std::optional<int> run_role(const SinkCatalog& sinks, int argc, char** argv) {
  initial_cpus();  // remembers the processors before anything binds this process
  if (argc != 3 && argc != 4) return {};
  const std::string_view command = argv[1];
  unsigned number = 0;
  const std::string_view text = argc == 4 ? argv[3] : "0";
  std::from_chars(text.data(), text.data() + text.size(), number);
  if (command == kProviderCommand) return run_provider_process(sinks, argv[2], number);
  if (command == kConsumerCommand) return run_consumer_process(sinks, argv[2], number);
  if (argc != 3) return {};
  if (command == kVictimCommand) return run_victim_process(argv[2]);
  return {};
}

}  // namespace tailgate
