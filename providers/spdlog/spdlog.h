// The spdlog sink: a widely used C++ logging library writing lines to a file, in the calling thread
// or through its queue and worker thread.
#pragma once

#include "providers/sink.h"

namespace tailgate {

const SinkType& spdlog_sink();

}  // namespace tailgate
