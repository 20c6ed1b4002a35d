// The trial tests start real provider and consumer processes: this program run again.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <cstring>

#include "harness/base/affinity.h"
#include "harness/trial/roles.h"

int main(int argc, char** argv) {
  tailgate::initial_cpus();
  if (argc == 3 && std::strcmp(argv[1], tailgate::kProviderCommand) == 0) {
    return tailgate::run_provider_process(argv[2]);
  }
  if (argc == 3 && std::strcmp(argv[1], tailgate::kConsumerCommand) == 0) {
    return tailgate::run_consumer_process(argv[2]);
  }
  if (argc == 3 && std::strcmp(argv[1], tailgate::kVictimCommand) == 0) {
    return tailgate::run_victim_process(argv[2]);
  }
  return Catch::Session().run(argc, argv);
}
