// After the session has stopped, reads its files with tailgate's own reader (harness/etl).
#include <memory>

#include "harness/base/error.h"
#include "harness/etl/trace_file.h"
#include "harness/etl/trace_reader.h"
#include "providers/etw/event_field.h"
#include "providers/etw/options.h"
#include "providers/etw/roles.h"

namespace tailgate::etw {
namespace {

constexpr int kRecordsAPoll = 4096;
constexpr unsigned kNoHelpers = 0;  // there are few records, and helpers would disturb a
                                    // measurement

using Files = std::vector<std::unique_ptr<etl::TraceFile>>;

Files open_files(const TrialContext& context) {
  Files files;
  for (const std::filesystem::path& path : written_traces(context)) {
    files.push_back(std::make_unique<etl::TraceFile>(path));
  }
  if (files.empty()) {
    throw Error("the session has written no file: " + trace_path(context).string(),
                "see whether another program stopped it, and whether the disk is full");
  }
  return files;
}

std::vector<const etl::TraceFile*> pointers(const Files& files) {
  std::vector<const etl::TraceFile*> pointers;
  for (const auto& file : files) pointers.push_back(file.get());
  return pointers;
}

class FileConsumer : public Consumer {
 public:
  explicit FileConsumer(const TrialContext& context)
      : guid_(provider_guid(context)),
        files_(open_files(context)),
        reader_(pointers(files_), etl::ReadOrder::time, kNoHelpers) {}

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
    std::uint64_t bytes = reader_.damage().unread_bytes;
    for (const auto& file : files_) bytes += file->damage().skipped_bytes;
    if (bytes > 0) visitor.damage(bytes);
  }

 private:
  std::size_t hand_over(const etl::Record& record, EventVisitor& visitor) {
    const etl::RecordHeader header = etl::decode_header(record);
    if (header.provider != guid_) return 0;
    const etl::Bytes metadata =
        etl::find_extended(header.extended, etl::ExtendedType::tracelogging_schema);
    const auto bytes = field_.find(metadata, header.payload);
    if (header.extended_damaged || !bytes) {
      visitor.damage(record.size_bytes);
      return 0;
    }
    visitor.event(std::as_bytes(*bytes));
    return 1;
  }

  etl::Guid guid_;
  Files files_;
  etl::TraceReader reader_;
  EventField field_;
};

}  // namespace

std::unique_ptr<Consumer> open_file_consumer(const TrialContext& context) {
  return std::make_unique<FileConsumer>(context);
}

}  // namespace tailgate::etw
