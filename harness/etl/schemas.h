// Schemas of providers that nearly every trace holds and few traces describe: folder schemas.
#pragma once

#include "harness/etl/decoder.h"

namespace tailgate::etl {

// Adds them. A schema of the same event and version that is added later replaces one of these, so
// call it first, before the files and the user's manifests.
void add_bundled_schemas(Decoder& decoder);

}  // namespace tailgate::etl
