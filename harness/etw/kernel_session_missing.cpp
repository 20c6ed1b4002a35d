// Where Windows' kernel is not.
#include "harness/base/error.h"
#include "harness/etw/kernel_session.h"

namespace tailgate::etw {

Probe probe_kernel_session() {
  return {.available = false,
          .reason = "only Windows' kernel records to an .etl file",
          .remedy = "record on Windows; here 'tailgate run --explain' traces a trial"};
}

std::unique_ptr<KernelSession> start_kernel_session(const KernelSessionOptions&) {
  const Probe probe = probe_kernel_session();
  throw Error(probe.reason, probe.remedy);
}

}  // namespace tailgate::etw
