// Waiting for a word of shared memory to change, across processes.
//
// std::atomic's own wait reaches threads of one process only.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace tailgate {

// Sleeps until word is no longer `seen` and someone has called wake_all for it, or until the time
// is up; may return early. Returns at once when the word differs already.
void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t seen,
                std::chrono::nanoseconds at_most);

// Wakes all that wait for the word, in whichever process; after changing it.
void wake_all(std::atomic<std::uint32_t>& word);

}  // namespace tailgate
