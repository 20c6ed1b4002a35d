// Reads a session's file with tailgate's own reader (providers/etw/etl), after the session.
#include "providers/etw/etl/trace_file.h"
#include "providers/etw/etl/trace_reader.h"
#include "providers/etw/options.h"
#include "providers/etw/roles.h"

namespace tailgate::etw {
namespace {

constexpr int kRecordsAPoll = 4096;
constexpr unsigned kNoHelpers = 0;  // the records are few, and the machine is being measured

class EtwConsumer : public Consumer {
 public:
  explicit EtwConsumer(const TrialContext& context)
      : guid_(provider_guid(context)),
        file_(trace_path(context)),
        reader_({&file_}, etl::ReadOrder::time, kNoHelpers) {}

  std::size_t poll(EventVisitor& visitor) override {
    std::size_t events = 0;
    for (int i = 0; i < kRecordsAPoll || events == 0; ++i) {
      const etl::Record* record = reader_.next();
      if (record == nullptr) break;
      if (record->kind == etl::RecordKind::event) events += hand_over(*record, visitor);
    }
    return events;
  }

  void finish(EventVisitor& visitor) override {
    const std::uint64_t bytes = reader_.damage().unread_bytes + file_.damage().skipped_bytes;
    if (bytes > 0) visitor.damage(bytes);
  }

 private:
  // The payload is the event's one field: a u16 count and as many bytes.
  std::size_t hand_over(const etl::Record& record, EventVisitor& visitor) const {
    const etl::RecordHeader header = etl::decode_header(record);
    if (header.provider != guid_) return 0;
    const etl::Bytes payload = header.payload;
    constexpr std::size_t kCountBytes = 2;
    if (header.extended_damaged || payload.size() < kCountBytes ||
        etl::load<std::uint16_t>(payload.data()) != payload.size() - kCountBytes) {
      visitor.damage(record.size_bytes);
      return 0;
    }
    visitor.event(std::as_bytes(payload.subspan(kCountBytes)));
    return 1;
  }

  etl::Guid guid_;
  etl::TraceFile file_;
  etl::TraceReader reader_;
};

}  // namespace

std::unique_ptr<Consumer> open_consumer(const TrialContext& context) {
  return std::make_unique<EtwConsumer>(context);
}

}  // namespace tailgate::etw
