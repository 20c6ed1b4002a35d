// The trial tests start real provider and consumer processes: this program run again.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include "harness/trial/processes/role.h"
#include "providers/all.h"
#include "providers/testing/sinks.h"

int main(int argc, char** argv) {
  if (const std::optional<int> exit_code = tailgate::run_role(tailgate::test_sinks(), argc, argv))
    return *exit_code;
  if (const std::optional<int> exit_code = tailgate::run_sink_process(argc, argv))
    return *exit_code;
  return Catch::Session().run(argc, argv);
}
