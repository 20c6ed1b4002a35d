// A session of Windows' kernel ("system logger", from Windows 8 on) that writes to a file. Any
// number of programs may each have one, unlike the one "NT Kernel Logger" of older versions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/probe.h"
#include "harness/etw/kernel_stacks.h"
#include "harness/os/clock.h"

namespace tailgate::etw {

struct KernelSessionOptions {
  // The session's name is "tailgate-PID-LABEL": so the next run of tailgate finds and stops what a
  // killed one left.
  std::string label;
  std::filesystem::path file;
  std::uint32_t flags = 0;                    // bits of kernel_flags.h
  ClockKind clock = ClockKind::os_monotonic;  // of the records: tsc, or the performance counter
  std::uint32_t max_file_mib = 512;           // at this size Windows ends the session
  // Events whose stacks the kernel records. The list can only be set on a running session, so
  // stacks begin shortly after the session's start.
  std::vector<KernelStack> stacks = {};
  // Samples per second of each processor (flag profile); 0: as the machine has it. It is a setting
  // of the whole machine, which the session's stop puts back.
  double sample_hz = 0;
};

// What Windows says of a session.
struct KernelSessionCounts {
  bool ended = false;  // it runs no longer: somebody stopped it, or its file was full
  std::uint64_t buffers_written = 0;
  std::uint64_t buffer_bytes = 0;
  std::uint64_t events_lost = 0;   // no buffer was free
  std::uint64_t buffers_lost = 0;  // could not be written
  std::string failure = {};        // why Windows could not say; empty: it could
};

class KernelSession {
 public:
  virtual ~KernelSession() = default;  // stops it

  virtual const std::string& name() const = 0;

  // The bits of the flags that Windows granted: it may leave some out.
  virtual std::uint32_t granted_flags() const = 0;

  // Samples per second, which Windows may choose otherwise; 0 if none were asked for.
  virtual double granted_sample_hz() const = 0;

  virtual KernelSessionCounts counts() = 0;

  // Writes what is in buffers and ends the session. A second call does nothing.
  virtual KernelSessionCounts stop() = 0;
};

// Starts the session, which records for the whole machine. Throws Error with a remedy and then
// leaves no session.
std::unique_ptr<KernelSession> start_kernel_session(const KernelSessionOptions& options);

// Whether a start can be expected to succeed here.
Probe probe_kernel_session();

}  // namespace tailgate::etw
