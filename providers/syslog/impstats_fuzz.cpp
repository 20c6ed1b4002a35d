// rsyslogd's statistics may contain any bytes; no line may count as more than one report.
#include <cstddef>
#include <cstdlib>
#include <string_view>

#include "providers/syslog/impstats.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tailgate::syslog::QueueAccount account;
  tailgate::syslog::take_statistics_line({reinterpret_cast<const char*>(data), size}, account);
  if (account.accounts > 1) std::abort();
  if (account.accounts == 0 && account.discarded_full != 0) std::abort();
  return 0;
}
