// The file sink: events appended to one file that all load threads share, in the ways programs do
// it: through C stdio, one write call each, batched, synchronised, mapped, or by io_uring.
#pragma once

#include "providers/sink.h"

namespace tailgate {

const SinkType& file_sink();

}  // namespace tailgate
