// Reads samples from the file of a session of Windows' kernel.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>

#include "harness/etl/image_names.h"
#include "harness/os/clock.h"
#include "harness/profile/samples.h"

namespace tailgate::profile {

struct KernelSamplesFile {
  std::filesystem::path path = {};
  Clock clock = {};            // the run clock
  std::uint64_t start_ns = 0;  // run clock, just before the session was started …
  std::uint64_t end_ns = 0;    // … and just after it was stopped
  double rate_hz = 0;          // that Windows granted
  bool ended_early = false;    // the session had ended before its stop
  // The session's counts at its stop; the file may report more.
  std::uint64_t events_lost = 0;
  std::uint64_t buffers_lost = 0;
};

struct SampledThreads {
  std::set<std::uint32_t> load = {};                    // threads
  std::map<std::uint32_t, SampledRole> processes = {};  // by id, when the session began; what
                                                        // they start later has their role
};

// The samples of these threads and processes. Throws Error when the file cannot be read or is not
// on the run clock.
Samples read_kernel_samples(const KernelSamplesFile& file, const SampledThreads& whose,
                            etl::ImageNames& names);

}  // namespace tailgate::profile
