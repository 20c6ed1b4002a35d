#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/etl/kernel_groups.h"
#include "harness/etl/record.h"
#include "harness/etl/trace_file.h"
#include "harness/etl/trace_reader.h"
#include "harness/etw/kernel_flags.h"
#include "harness/etw/kernel_session.h"
#include "harness/explain/kernel_groups.h"

namespace tailgate::activity {
namespace {

constexpr unsigned kNoHelpers = 0;

// The flags that make a group; none where the kernel has nothing like it.
std::vector<std::string> flags_of(KernelGroup group) {
  switch (group) {
    case KernelGroup::sched:
      return {"cswitch", "dispatcher"};
    case KernelGroup::irq:
      return {"dpc", "isr"};
    case KernelGroup::exceptions:
      return {"pf", "hf"};
    case KernelGroup::block:
      return {"diskio", "diskioinit"};
    case KernelGroup::syscalls:
      return {"syscall"};
    case KernelGroup::kmem:
      return {"virtalloc"};
    case KernelGroup::filemap:
      return {"vamap"};
    case KernelGroup::process:
      return {"process", "thread"};
    case KernelGroup::image:
      return {"img"};
    case KernelGroup::fileio:
      return {"fileio", "fileioinit"};
    case KernelGroup::profile:
    case KernelGroup::net:
    case KernelGroup::registry:
      return {std::string(enum_text(group))};
    default:
      return {};
  }
}

std::uint32_t bits_of(KernelGroup group) {
  if (group == KernelGroup::none) return 0;
  const std::vector<std::string> flags = flags_of(group);
  if (!flags.empty()) return etw::kernel_flag_bits(flags);
  throw Error(fmt::format("Windows' kernel session has no flag for '{}'", enum_text(group)),
              "name other groups");
}

}  // namespace

// The session, and then its file.
class KernelEvents::Buffer {
 public:
  Buffer(const std::filesystem::path& file, KernelGroup group) : file_(file) {
    const std::uint32_t wanted = bits_of(group);
    session_ = etw::start_kernel_session({.label = "flags", .file = file, .flags = wanted});
    const std::uint32_t missing = wanted & ~session_->granted_flags();
    if (missing == 0) return;
    throw Error(fmt::format("Windows does not record {}", etw::kernel_flag_names(missing)), "");
  }

  void stop(KernelEventsUse& use) {
    const etw::KernelSessionCounts ended = session_->stop();
    session_.reset();
    use.rejected = ended.events_lost;
    if (!ended.failure.empty()) throw Error(ended.failure, "");
    if (ended.ended) throw Error("the session of the kernel had ended before it was stopped", "");
    if (ended.buffers_lost == 0) return;
    throw Error(fmt::format("{} buffers of records could not be written", ended.buffers_lost), "");
  }

  // All but what the session says of itself.
  void read(KernelEventsUse& use) const {
    const etl::TraceFile file(file_);
    etl::TraceReader reader({&file}, etl::ReadOrder::file, kNoHelpers);
    while (const etl::Record* record = reader.next()) {
      if (is_of_session(*record)) continue;
      ++use.records;
      use.record_bytes += record->size_bytes;
    }
  }

 private:
  static bool is_of_session(const etl::Record& record) {
    constexpr std::uint16_t kEventTraceGroup = 0;  // the upper byte of a hook
    const etl::RecordHeader header = etl::decode_header(record);
    return header.provider == etl::kernel_group_guid(kEventTraceGroup);
  }

  std::filesystem::path file_;
  std::unique_ptr<etw::KernelSession> session_;
};

KernelEvents::KernelEvents(const std::filesystem::path& directory, KernelGroup group) {
  use_.group = group;
  try {
    buffer_ = std::make_unique<Buffer>(directory / "kernel_events.etl", group);
    began_ = std::chrono::steady_clock::now();
  } catch (const Error& error) {
    use_.refused = error.what_failed();
  }
}

KernelEvents::~KernelEvents() = default;

void KernelEvents::stop() {
  if (!buffer_) return;
  use_.on_ns = static_cast<std::uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now() - began_).count());
  try {
    buffer_->stop(use_);
  } catch (const Error& error) {
    use_.refused = error.what_failed();
    buffer_.reset();
  }
}

KernelEventsUse KernelEvents::use() {
  if (!buffer_) return use_;
  try {
    buffer_->read(use_);
  } catch (const Error& error) {
    use_.refused = error.what_failed();
  }
  buffer_.reset();
  return use_;
}

}  // namespace tailgate::activity
