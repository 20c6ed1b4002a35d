// What files of the system say about taken time, so that tests can provide them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace tailgate {

// The ticks of the processor's column "steal" in /proc/stat (proc_stat(5)); nothing if the text
// does not have it.
std::optional<std::uint64_t> stolen_ticks(std::string_view proc_stat, int cpu);

// As thread_time_leaves_out_stolen_alone() says, of the system whose files are below `root`.
// Kernels with CONFIG_IRQ_TIME_ACCOUNTING take interrupts off a thread's time. From Linux 6.1 on
// these have the file /proc/pressure/irq, of others the configuration in /boot tells; false where
// neither does.
bool leaves_out_stolen_alone(const std::filesystem::path& root);

}  // namespace tailgate
