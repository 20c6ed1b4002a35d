// A PostgreSQL server of one test: in a folder of its own, on a Unix socket there, and no port.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/testing/test_directory.h"
#include "harness/os/process.h"

namespace tailgate::history {

class PostgresqlServer {
 public:
  // Why no server can be started here; empty: one can.
  static std::string missing();

  // Makes the server's folder and starts it; for root as the user nobody, because a server refuses
  // to run as root. Throws Error.
  PostgresqlServer();
  ~PostgresqlServer();

  void start();
  // Ends it at once, as a crash of the machine would.
  void stop();

  // The URL of a new, empty database.
  std::string make_database();

 private:
  void run(const std::string& program, std::vector<std::string> arguments);
  Child started(const std::string& program, std::vector<std::string> arguments);

  TestDirectory folder_;
  std::optional<Child> server_;
  int databases_ = 0;
};

}  // namespace tailgate::history
