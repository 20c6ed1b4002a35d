#include <array>
#include <bit>
#include <cstring>
#include <string_view>

#include "providers/journald/event_fields.h"
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
iovec part(EventBytes bytes) {
  return {const_cast<std::byte*>(bytes.data()), bytes.size()};
}

bool has_line_feed(EventBytes value) {
  return std::memchr(value.data(), '\n', value.size()) != nullptr;
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

  EmitStatus emit(unsigned thread, EventBytes event) noexcept override {
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t size = event.size();
    const bool sized = binary_ || has_line_feed(event);
    iovec parts[4] = {part(sized ? kBinaryPrefix : kTextPrefix),
                      {&size, sized ? sizeof size : 0},
                      part(event),
                      part(kRest)};
    return send(thread, parts);
  }

  std::vector<std::string> refusal_causes() const override { return socket_refusal_causes(); }
  void close() override { socket_.close(); }

 protected:
  EmitStatus send(unsigned thread, std::span<iovec> parts) noexcept {
    const EmitStatus status = socket_.send(parts);
    if (status == kAccepted) accepted_.add(thread);
    return status;
  }

 private:
  const bool binary_;
  AcceptedCounts accepted_;
  LocalDatagrams socket_;
};

// One datagram of several fields.
class Datagram {
 public:
  void add(const EntryField& field) noexcept {
    const std::string_view name = slot_name(field.slot);
    if (has_line_feed(field.value)) {
      Size& size = sizes_[sized_++];
      size[0] = '\n';
      const std::uint64_t bytes = field.value.size();
      std::memcpy(size.data() + 1, &bytes, sizeof bytes);
      add(part(name.substr(0, name.size() - 1)));
      add({size.data(), size.size()});
    } else {
      add(part(name));
    }
    add(part(field.value));
    add(part(kLineFeed));
  }
  std::span<iovec> finished() noexcept {
    add(part(kRest.substr(1)));
    return std::span(parts_).first(count_);
  }

 private:
  static constexpr std::string_view kLineFeed = "\n";
  // A line feed and 8 bytes.
  using Size = std::array<char, 9>;

  void add(iovec part) noexcept { parts_[count_++] = part; }

  std::array<iovec, 4 * kSlots + 1> parts_;
  std::array<Size, kSlots> sizes_;
  std::size_t count_ = 0;
  std::size_t sized_ = 0;
};

class NativeFieldsProvider : public NativeProvider {
 public:
  explicit NativeFieldsProvider(const TrialContext& context)
      : NativeProvider(context),
        fields_(entry_fields(context.options)),
        encoding_(context.encoding) {}

  EmitStatus emit(unsigned thread, EventBytes event) noexcept override {
    SplitEvent split;
    split_event(fields_, encoding_, event, split);
    if (split.count == 1) return NativeProvider::emit(thread, event);
    Datagram datagram;
    for (std::size_t i = 0; i < split.count; ++i) datagram.add(split.fields[i]);
    return send(thread, datagram.finished());
  }

 private:
  EntryFields fields_;
  EventEncoding encoding_;
};

}  // namespace

std::unique_ptr<Provider> open_native(const TrialContext& context) {
  if (entry_fields(context.options) == EntryFields::one) {
    return std::make_unique<NativeProvider>(context);
  }
  return std::make_unique<NativeFieldsProvider>(context);
}

}  // namespace tailgate::journald
