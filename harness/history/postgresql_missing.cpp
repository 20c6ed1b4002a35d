// A build without libpq.
#include "harness/history/database.h"

namespace tailgate::history {

std::unique_ptr<Database> open_postgresql(const std::string&, Access) {
  throw Error("no server can hold the history: this build of tailgate has no libpq",
              "build it where libpq-dev (Debian) is installed, or name a file with --history");
}

}  // namespace tailgate::history
