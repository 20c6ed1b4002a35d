// A build without libevtx.
#include "harness/base/error.h"
#include "harness/etl/event_log.h"

namespace tailgate::etl {

std::uint64_t read_evtx(const std::filesystem::path& path, const EventXmlSink&) {
  throw Error(
      "cannot read the event log '" + path.string() + "': this build of tailgate has no libevtx",
      "build it where libevtx-dev (Debian) is installed, or export the log as XML: "
      "wevtutil qe FILE.evtx /lf:true /f:XML");
}

}  // namespace tailgate::etl
