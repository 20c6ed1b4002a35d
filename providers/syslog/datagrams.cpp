#include <string_view>

#include "providers/shared/daemon/accepted_counts.h"
#include "providers/shared/daemon/local_datagrams.h"
#include "providers/shared/daemon/private_namespace.h"
#include "providers/syslog/provider.h"
#include "providers/syslog/session.h"

namespace tailgate::syslog {
namespace {

// Priority: facility user (1) times 8 plus severity info (6); RFC 3164, 4.1.1. There is no time
// stamp, as many libraries write it: the receiver adds its own.
constexpr std::string_view kHead = "<14>tailgate: ";

class DatagramProvider : public Provider {
 public:
  explicit DatagramProvider(const TrialContext& context)
      : accepted_(require_private_view(kMark, context).directory, context.threads),
        socket_(kSocket, context.options.boolean("blocking"), 0) {}

  EmitStatus emit(unsigned thread, std::span<const std::byte> event) noexcept override {
    iovec parts[2] = {{const_cast<char*>(kHead.data()), kHead.size()},
                      {const_cast<std::byte*>(event.data()), event.size()}};
    const EmitStatus status = socket_.send(parts);
    if (status == kAccepted) accepted_.add(thread);
    return status;
  }

  std::vector<std::string> refusal_causes() const override { return socket_refusal_causes(); }
  void close() override { socket_.close(); }

 private:
  AcceptedCounts accepted_;
  LocalDatagrams socket_;
};

}  // namespace

std::unique_ptr<Provider> open_datagrams(const TrialContext& context) {
  return std::make_unique<DatagramProvider>(context);
}

}  // namespace tailgate::syslog
