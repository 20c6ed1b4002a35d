#include <bit>
#include <cstring>
#include <string_view>

#include "providers/journald/places.h"
#include "providers/journald/provider.h"
#include "providers/shared/daemon/accepted_counts.h"
#include "providers/shared/daemon/local_datagrams.h"
#include "providers/shared/daemon/private_namespace.h"

namespace tailgate::journald {
namespace {

// The size that libsystemd asks for.
constexpr int kSendBufferBytes = 8 * 1024 * 1024;

constexpr std::string_view kTextPrefix = "MESSAGE=";
constexpr std::string_view kBinaryPrefix = "MESSAGE\n";
constexpr std::string_view kRest = "\nPRIORITY=6\nSYSLOG_IDENTIFIER=tailgate\n";

iovec part(std::string_view text) {
  return {const_cast<char*>(text.data()), text.size()};
}

// Protocol: systemd, "Native Journal Protocol". A field is NAME=value and a line feed or, for
// values that may hold line feeds, NAME, a line feed, the value's size in 8 bytes little endian,
// the value and a line feed.
class NativeProvider : public Provider {
 public:
  explicit NativeProvider(const TrialContext& context)
      : binary_(require_private_view(kMark, context).encoding == EventEncoding::binary),
        accepted_(context.directory, context.threads),
        socket_(kSocket, context.options.boolean("blocking"), kSendBufferBytes) {}

  EmitStatus emit(unsigned thread, std::span<const std::byte> event) noexcept override {
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t size = event.size();
    const bool sized = binary_ || std::memchr(event.data(), '\n', event.size()) != nullptr;
    iovec parts[4] = {part(sized ? kBinaryPrefix : kTextPrefix),
                      {&size, sized ? sizeof size : 0},
                      {const_cast<std::byte*>(event.data()), event.size()},
                      part(kRest)};
    const EmitStatus status = socket_.send(parts);
    if (status == kAccepted) accepted_.add(thread);
    return status;
  }

  std::vector<std::string> refusal_causes() const override { return socket_refusal_causes(); }
  void close() override { socket_.close(); }

 private:
  const bool binary_;
  AcceptedCounts accepted_;
  LocalDatagrams socket_;
};

}  // namespace

std::unique_ptr<Provider> open_native(const TrialContext& context) {
  return std::make_unique<NativeProvider>(context);
}

}  // namespace tailgate::journald
