#include "harness/trial/daemon_meter.h"

#include "harness/base/process.h"

namespace tailgate {

DaemonMeter::DaemonMeter(const std::vector<DaemonProcess>& daemons) {
  for (const DaemonProcess& daemon : daemons) {
    starts_.push_back({daemon, process_cpu_ns(daemon.pid)});
  }
}

std::vector<DaemonUse> DaemonMeter::read() const {
  std::vector<DaemonUse> uses;
  for (const Start& start : starts_) {
    DaemonUse use;
    use.name = start.daemon.name;
    const std::optional<std::uint64_t> now_ns = process_cpu_ns(start.daemon.pid);
    if (now_ns && start.cpu_ns) use.cpu_ns = *now_ns - *start.cpu_ns;
    uses.push_back(use);
  }
  return uses;
}

}  // namespace tailgate
