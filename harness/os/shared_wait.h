// Waits until a word of shared memory changes; works across processes.
//
// std::atomic's wait works only between threads of one process.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace tailgate {

// Sleeps until the word differs from `seen` and someone has called wake_all() for it, or until the
// time is over. May return early. Returns at once if the word differs already.
void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t seen,
                std::chrono::nanoseconds at_most);

// Wakes all threads of all processes that wait for the word. Call it after changing the word.
void wake_all(std::atomic<std::uint32_t>& word);

}  // namespace tailgate
