// Puts a queue in front of any sink: a call copies its event into a ring and returns, and one
// thread makes the sink's calls. An option that begins with "queued_" adds the queue, whatever its
// value: "journald:queued_events=1024:queued_when_full=drop".
#pragma once

#include <memory>
#include <string_view>

#include "harness/sink/sink.h"

namespace tailgate {

// Whether `name` is an option of the queue.
bool is_queue_option(std::string_view name);

// The sink behind a queue: same name, and the queue's options beside the sink's own.
std::unique_ptr<const SinkType> put_behind_queue(std::shared_ptr<const SinkType> sink);

}  // namespace tailgate
