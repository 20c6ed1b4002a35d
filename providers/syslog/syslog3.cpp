#include <syslog.h>

#include <atomic>

#include "providers/shared/daemon/accepted_counts.h"
#include "providers/shared/daemon/private_namespace.h"
#include "providers/syslog/provider.h"
#include "providers/syslog/session.h"

namespace tailgate::syslog {
namespace {

class Syslog3Provider : public Provider {
 public:
  explicit Syslog3Provider(const TrialContext& context)
      : accepted_(require_private_view(kMark, context).directory, context.threads) {
    ::openlog("tailgate", LOG_NDELAY, LOG_USER);
  }
  ~Syslog3Provider() override { close(); }

  EmitStatus emit(unsigned thread, std::span<const std::byte> event) noexcept override {
    if (closed_.load(std::memory_order_relaxed)) return 1;
    ::syslog(LOG_INFO, "%.*s", static_cast<int>(event.size()),
             reinterpret_cast<const char*>(event.data()));
    accepted_.add(thread);
    return kAccepted;
  }

  std::vector<std::string> refusal_causes() const override { return {"closed"}; }

  void close() override {
    if (!closed_.exchange(true)) ::closelog();
  }

 private:
  AcceptedCounts accepted_;
  std::atomic<bool> closed_ = false;
};

}  // namespace

std::unique_ptr<Provider> open_syslog3(const TrialContext& context) {
  return std::make_unique<Syslog3Provider>(context);
}

}  // namespace tailgate::syslog
