// Does independent pieces of work on all processors.
#pragma once

#include <cstddef>
#include <functional>

namespace tailgate {

// Calls work(0) to work(count - 1), each once, in about that order, by as many threads as there are
// processors; returns when all have ended. Once a call has thrown no other one begins, and the
// first exception is thrown on.
void in_parallel(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace tailgate
