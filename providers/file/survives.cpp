// What the events of each mode survive. After write(2) they are in the kernel's page cache, as
// those are that were copied into a shared mapping. fdatasync(2) and O_DSYNC return when the events
// and the file's new size are on the storage, as far as that keeps its word.
#include "providers/file/modes.h"

namespace tailgate::file {

Survives survives_nothing(const Options&) {
  return Survives::nothing;
}

Survives survives_kill(const Options&) {
  return Survives::kill;
}

Survives survives_crash(const Options&) {
  return Survives::crash;
}

Survives survives_by_flush(const Options& options) {
  return options.integer("flush_every") == 1 ? Survives::kill : Survives::nothing;
}

Survives survives_by_batch(const Options& options) {
  return options.integer("batch_events") == 1 ? Survives::kill : Survives::nothing;
}

Survives survives_by_sync(const Options& options) {
  return options.integer("sync_every") == 1 ? Survives::crash : Survives::kill;
}

}  // namespace tailgate::file
