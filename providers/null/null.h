// The null sink: takes every event and does nothing with it. What a trial on it measures is the
// harness itself: the floor under every other figure.
#pragma once

#include "providers/sink.h"

namespace tailgate {

const SinkType& null_sink();

}  // namespace tailgate
