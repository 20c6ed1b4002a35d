#include "harness/base/build_info.h"

#include "build_revision.h"

namespace tailgate {

const BuildInfo& build_info() {
  static const BuildInfo info = {
      .version = TAILGATE_VERSION,
      .revision = TAILGATE_REVISION,
      .dirty = TAILGATE_DIRTY,
      .compiler = TAILGATE_COMPILER,
      .flags = TAILGATE_FLAGS,
      .type = TAILGATE_BUILD_TYPE,
  };
  return info;
}

}  // namespace tailgate
