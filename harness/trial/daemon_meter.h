// What the processes that work for a session consume during the load.
#pragma once

#include <optional>
#include <vector>

#include "harness/result/result.h"
#include "providers/sink.h"

namespace tailgate {

class DaemonMeter {
 public:
  DaemonMeter() = default;

  // Begins to count now.
  explicit DaemonMeter(const std::vector<DaemonProcess>& daemons);

  // Since then, in the order given.
  std::vector<DaemonUse> read() const;

 private:
  struct Start {
    DaemonProcess daemon;
    std::optional<std::uint64_t> cpu_ns;
  };
  std::vector<Start> starts_;
};

}  // namespace tailgate
