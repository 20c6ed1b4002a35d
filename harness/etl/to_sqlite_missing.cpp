// A build without SQLite.
#include "harness/base/error.h"
#include "harness/etl/to_sqlite.h"

namespace tailgate::etl {

SqliteCounts write_sqlite(const std::vector<const TraceFile*>&, Decoder&, const SqliteOptions&,
                          const std::filesystem::path& path) {
  throw Error("cannot write '" + path.string() + "': this build of tailgate has no SQLite",
              "build it where libsqlite3-dev (Debian) is installed");
}

}  // namespace tailgate::etl
