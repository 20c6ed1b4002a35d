// Sinks from shared libraries: --sink ./libmine.so:option=value.
#pragma once

#include "harness/sink/catalog.h"

namespace tailgate {

// For SinkCatalog::set_loader. A name that is a path, or ends in .so or .dll, is a library.
LibraryLoader plugin_loader();

}  // namespace tailgate
