// A build without SQLite.
#include "harness/history/database.h"

namespace tailgate::history {

std::unique_ptr<Database> open_sqlite(const std::string& path, Access, std::chrono::milliseconds) {
  throw Error("the history '" + path + "' cannot be opened: this build of tailgate has no SQLite",
              "build it where libsqlite3-dev (Debian) is installed");
}

}  // namespace tailgate::history
