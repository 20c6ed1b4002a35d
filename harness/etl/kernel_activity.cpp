#include "harness/etl/kernel_activity.h"

#include <algorithm>
#include <string_view>

#include "harness/etl/event_fields.h"
#include "harness/etl/kernel_groups.h"
#include "harness/etl/kernel_layouts.h"

namespace tailgate::etl {
namespace {

using activity::FaultKind;
using activity::InterruptKind;
using activity::Ticks;

constexpr std::size_t kMaxDisks = 1024;
// More system calls than any Windows has: a limit, so that a damaged trace does not fill memory.
constexpr std::size_t kMaxSystemCalls = 8192;
constexpr std::size_t kMaxFileOperations = 65'536;

// The kernel's points for the begin of each file operation, and kFilePoints later for its end.
constexpr std::uint32_t kFirstFilePoint = activity::kWakePoint + 1;
constexpr std::uint32_t kFilePoints = kHookFileLast - kHookFileFirst + 1;

Ticks elapsed(std::int64_t begin, std::int64_t end) {
  if (end <= begin || begin <= 0) return 0;
  return end - begin;
}

void add_up(Ticks& sum, Ticks ticks) {
  constexpr Ticks kMax = std::numeric_limits<Ticks>::max();
  sum = ticks > kMax - sum ? kMax : sum + ticks;
}

}  // namespace

KernelActivity::KernelActivity(const LogFileHeader& header, const SessionClock& clock)
    : own_(std::make_unique<activity::Timeline>(clock.ticks_per_second(), header.start_raw)),
      timeline_(own_.get()),
      last_time_(header.start_raw) {
  name_file_operations();
}

KernelActivity::KernelActivity(activity::Timeline& timeline, const RunTimes& times)
    : times_(times), timeline_(&timeline), last_time_(times.start_ns()) {
  name_file_operations();
}

Ticks KernelActivity::payload_time(std::int64_t raw) const {
  return times_ ? times_->time_ns(raw) : raw;
}

Ticks KernelActivity::response_time(std::int64_t counter_ticks) const {
  const Ticks ticks = std::max<Ticks>(0, counter_ticks);
  return times_ ? times_->counter_ns(ticks) : ticks;
}

void KernelActivity::add_kernel(const Record& record, std::uint16_t hook) {
  switch (hook >> 8) {
    case 0x00:
    case 0x01:
    case 0x02:
    case 0x03:
    case 0x04:
    case 0x05:
    case 0x0F:
    case 0x14:
      break;
    default:
      return;
  }
  if (hook == kHookSampledProfile) return;
  RecordHeader header = decode_header(record);
  add_payload(record, hook, header.version, header.payload);
}

// A classic header contains the class GUID instead of the hook id.
void KernelActivity::add_full(const Record& record) {
  auto group = kernel_group_of(load_guid(record.data + 0x18));
  if (!group) return;
  RecordHeader header = decode_header(record);
  auto hook = static_cast<std::uint16_t>(*group << 8 | header.opcode);
  constexpr std::uint16_t kImageClassLoad = 0x140A;
  if (hook == kImageClassLoad) hook = kHookImageLoad;
  add_payload(record, hook, header.version, header.payload);
}

void KernelActivity::add_payload(const Record& record, std::uint16_t hook, std::uint16_t version,
                                 Bytes payload) {
  switch (hook) {
    case kHookContextSwitch:
      return add_switch(record, payload.data(), payload.size());
    case kHookReadyThread:
      if (payload.size() >= 4) {
        timeline_->add(activity::ThreadReady{record.time, record.processor,
                                             load<std::uint32_t>(payload.data())});
      }
      return;
    case kHookIsr:
    case kHookIsrMsi:
      return add_interrupt(record, InterruptKind::hardware, payload);
    case kHookDpc:
      return add_interrupt(record, InterruptKind::deferred, payload);
    case kHookTimerDpc:
      return add_interrupt(record, InterruptKind::deferred_timer, payload);
    case kHookThreadedDpc:
      return add_interrupt(record, InterruptKind::deferred_threaded, payload);
    case kHookThreadStart:
    case kHookThreadEnd:
    case kHookThreadRundownStart:
    case kHookThreadRundownEnd:
    case kHookThreadSetName:
      return add_thread(record, hook, version, payload);
    case kHookProcessStart:
    case kHookProcessEnd:
    case kHookProcessRundownStart:
    case kHookProcessRundownEnd:
      return add_process(record, hook, version, payload);
    case kHookImageLoad:
    case kHookImageRundownStart:
    case kHookImageRundownEnd:
      return add_image(record, version, payload);
    case kHookDiskRead:
    case kHookDiskWrite:
    case kHookDiskFlush:
      return add_disk(record, hook, version, payload);
    case kHookDiskReadInit:
    case kHookDiskWriteInit:
    case kHookDiskFlushInit:
      return add_request_begin(record, hook, payload);
    case kHookSystemCallEnter:
    case kHookSystemCallExit:
      return add_system_call(record, hook, payload);
    case kHookContextSwitchBatch:
      ++switch_batches_;
      return;
    case kHookHeaderExtension:
      return add_masks(payload);
    default:
      if ((hook >= kHookPageFaultFirst && hook <= kHookPageFaultLast) || hook == kHookHardFault) {
        add_fault(record, hook, payload);
      } else if (hook == kHookFileOperationEnd) {
        end_file_operation(record, payload);
      } else if (hook >= kHookFileFirst && hook <= kHookFileLast) {
        begin_file_operation(record, hook, version, payload);
      }
  }
}

void KernelActivity::add_interrupt(const Record& record, InterruptKind kind, Bytes payload) {
  const unsigned pointer = record.pointer_bytes;
  if (payload.size() < 8 + pointer) return;
  activity::Interrupt fact;
  fact.begin = payload_time(load<std::int64_t>(payload.data()));
  fact.end = record.time;
  fact.processor = record.processor;
  fact.kind = kind;
  std::memcpy(&fact.routine, payload.data() + 8, pointer);
  timeline_->add(fact);
}

void KernelActivity::add_thread(const Record& record, std::uint16_t hook, std::uint16_t version,
                                Bytes payload) {
  if (payload.size() < 8) return;
  activity::ThreadFact fact;
  fact.time = record.time;
  fact.process = load<std::uint32_t>(payload.data());
  fact.thread = load<std::uint32_t>(payload.data() + 4);
  fact.rundown = hook != kHookThreadStart;
  if (version >= 3 || hook == kHookThreadSetName) {
    fields_.clear();
    decode_payload(*kernel_layout(hook, version), payload, record.pointer_bytes, fields_);
    fact.name = text_in(fields_, "ThreadName");
  }
  timeline_->add(fact);
}

void KernelActivity::add_process(const Record& record, std::uint16_t hook, std::uint16_t version,
                                 Bytes payload) {
  fields_.clear();
  decode_payload(*kernel_layout(hook, version), payload, record.pointer_bytes, fields_);
  if (!find_field(fields_, "ProcessId")) return;
  activity::ProcessFact fact;
  fact.time = record.time;
  fact.process = static_cast<std::uint32_t>(number_in(fields_, "ProcessId"));
  fact.parent = static_cast<std::uint32_t>(number_in(fields_, "ParentId"));
  fact.name = text_in(fields_, "ImageFileName");
  fact.rundown = hook != kHookProcessStart;
  timeline_->add(fact);
}

void KernelActivity::add_image(const Record& record, std::uint16_t version, Bytes payload) {
  fields_.clear();
  decode_payload(*kernel_layout(kHookImageLoad, version), payload, record.pointer_bytes, fields_);
  activity::ImageFact fact;
  fact.time = record.time;
  fact.process = static_cast<std::uint32_t>(number_in(fields_, "ProcessId"));
  fact.base = number_in(fields_, "ImageBase");
  fact.size_bytes = number_in(fields_, "ImageSize");
  fact.path = text_in(fields_, "FileName");
  timeline_->add(fact);
}

void KernelActivity::add_disk(const Record& record, std::uint16_t hook, std::uint16_t version,
                              Bytes payload) {
  add_request_end(record, hook, version, payload);
  const unsigned pointer = record.pointer_bytes;
  std::size_t response_at = hook == kHookDiskFlush ? 8 : 24 + 2 * pointer;
  if (payload.size() < response_at + 8) return;
  auto number = load<std::uint32_t>(payload.data());
  if (disks_.size() >= kMaxDisks && !disks_.contains(number)) return;
  DiskUse& disk = disks_[number];
  std::uint64_t bytes = hook == kHookDiskFlush ? 0 : load<std::uint32_t>(payload.data() + 8);
  if (hook == kHookDiskRead) {
    ++disk.reads;
    disk.read_bytes += bytes;
  } else if (hook == kHookDiskWrite) {
    ++disk.writes;
    disk.write_bytes += bytes;
  } else {
    ++disk.flushes;
  }
  Ticks response = response_time(load<std::int64_t>(payload.data() + response_at));
  add_up(disk.response_ticks_sum, response);
  disk.response_ticks_max = std::max(disk.response_ticks_max, response);
}

namespace {

// A storage request, identified by the address of its request packet: the begin and the end of
// every request contain it, while a flush has no offset.
activity::StorageRequest request_of(Ticks time, std::uint64_t packet, bool begins) {
  activity::StorageRequest request;
  request.time = time;
  request.sector = packet;
  request.begins = begins;
  return request;
}

std::uint32_t id_at(Bytes payload, std::size_t at) {
  if (at > payload.size() || payload.size() - at < 4) return RecordHeader::kNoId;
  return load<std::uint32_t>(payload.data() + at);
}

}  // namespace

void KernelActivity::add_request_begin(const Record& record, std::uint16_t hook, Bytes payload) {
  const unsigned pointer = record.pointer_bytes;
  if (payload.size() < pointer) return;
  request_begins_recorded_ = true;
  auto request = request_of(record.time, pointer_at(payload.data(), pointer), true);
  request.thread = id_at(payload, pointer);
  if (request.thread == RecordHeader::kNoId) {
    request.thread = timeline_->running_thread(record.processor);
  }
  request.name = hook == kHookDiskReadInit    ? "read"
                 : hook == kHookDiskWriteInit ? "write"
                                              : "flush";
  timeline_->add(request);
}

void KernelActivity::add_request_end(const Record& record, std::uint16_t hook,
                                     std::uint16_t version, Bytes payload) {
  const unsigned pointer = record.pointer_bytes;
  bool flush = hook == kHookDiskFlush;
  std::size_t packet_at = flush ? 16 : 24 + pointer;
  std::size_t response_at = flush ? 8 : 24 + 2 * pointer;
  std::size_t thread_at = flush ? 16 + pointer : 32 + 2 * pointer;
  if (payload.size() < std::max(packet_at + pointer, response_at + 8)) return;
  auto done = request_of(record.time, pointer_at(payload.data() + packet_at, pointer), false);
  if (!request_begins_recorded_) {
    // The session recorded only the ends of requests; each end gives the time of its begin.
    Ticks response = response_time(load<std::int64_t>(payload.data() + response_at));
    if (response > record.time) response = 0;
    auto begin = request_of(record.time - response, done.sector, true);
    begin.thread = version >= 3 ? id_at(payload, thread_at) : activity::kUnknown;
    begin.name = hook == kHookDiskRead ? "read" : flush ? "flush" : "write";
    timeline_->add(begin);
  }
  timeline_->add(done);
}

void KernelActivity::add_fault(const Record& record, std::uint16_t hook, Bytes payload) {
  constexpr std::uint16_t kHardPageFault = 0x020E;
  if (hook == kHookPageFaultLast) {
    ++faults_.access_violations;
  } else if (hook == kHookHardFault) {
    // A fault of type "hard page fault" may be recorded as well, but has neither size nor time.
    add_hard_fault(record, payload);
  } else if (hook != kHardPageFault) {
    ++faults_.soft;
    constexpr std::array kKinds = {FaultKind::transition, FaultKind::demand_zero,
                                   FaultKind::copy_on_write, FaultKind::guard_page};
    timeline_->add(activity::PageFault{record.time, record.processor,
                                       timeline_->running_thread(record.processor),
                                       kKinds.at(hook - kHookPageFaultFirst)});
  }
}

void KernelActivity::add_hard_fault(const Record& record, Bytes payload) {
  ++faults_.hard;
  std::size_t thread_at = 16 + 2 * std::size_t{record.pointer_bytes};
  if (payload.size() < thread_at + 8) return;
  faults_.hard_bytes += load<std::uint32_t>(payload.data() + thread_at + 4);
  Ticks took = elapsed(payload_time(load<std::int64_t>(payload.data())), record.time);
  add_up(faults_.hard_ticks_sum, took);
  faults_.hard_ticks_max = std::max(faults_.hard_ticks_max, took);
  // Windows records the fault when the page has arrived; the thread stopped when the fault began.
  activity::PageFault fact{record.time - took, record.processor,
                           load<std::uint32_t>(payload.data() + thread_at), FaultKind::hard};
  const activity::ThreadHistory* history = timeline_->history(fact.thread);
  if (history != nullptr && !history->marks().empty()) {
    fact.time = std::max(fact.time, history->marks().back().time);
  }
  timeline_->add(fact);
}

void KernelActivity::name_file_operations() {
  for (std::uint32_t i = 0; i < kFilePoints; ++i) {
    const auto hook = static_cast<std::uint16_t>(kHookFileFirst + i);
    if (hook == kHookFileOperationEnd) continue;
    activity::KernelPointFact fact;
    fact.point = kFirstFilePoint + i;
    fact.name = kernel_layout(hook, 3)->event_name;
    // A flush exists to wait for storage.
    fact.cause =
        hook == kHookFileFlush ? activity::Cause::fs_writeback : activity::Cause::system_call;
    fact.marks = activity::PointMarks::begin;
    fact.names_call = true;
    timeline_->add(fact);
    fact.point += kFilePoints;
    fact.marks = activity::PointMarks::end;
    fact.names_call = false;
    timeline_->add(fact);
  }
}

// The packet's address links an operation's begin and end.
void KernelActivity::begin_file_operation(const Record& record, std::uint16_t hook,
                                          std::uint16_t version, Bytes payload) {
  if (!timeline_->watches()) return;
  fields_.clear();
  decode_payload(*kernel_layout(hook, version), payload, record.pointer_bytes, fields_);
  const Field* thread = find_field(fields_, "IssuingThreadId");
  if (thread == nullptr) thread = find_field(fields_, "TTID");
  activity::KernelPoint fact;
  fact.time = record.time;
  fact.thread = thread == nullptr ? timeline_->running_thread(record.processor)
                                  : static_cast<std::uint32_t>(unsigned_value(thread->data));
  fact.point = kFirstFilePoint + (hook - kHookFileFirst);
  timeline_->add(fact);
  if (file_operations_.size() == kMaxFileOperations) file_operations_.clear();
  file_operations_[number_in(fields_, "IrpPtr")] = {fact.thread, fact.point + kFilePoints};
}

// Where another thread completes an operation, the one that began it still waits for it, or has
// gone on without it: its system call's end is the operation's.
void KernelActivity::end_file_operation(const Record& record, Bytes payload) {
  if (payload.size() < record.pointer_bytes) return;
  const auto begun = file_operations_.find(pointer_at(payload.data(), record.pointer_bytes));
  if (begun == file_operations_.end()) return;
  const FileOperation operation = begun->second;
  file_operations_.erase(begun);
  if (timeline_->running_thread(record.processor) != operation.thread) return;
  timeline_->add(activity::KernelPoint{record.time, operation.thread, operation.end_point});
}

// On entry Windows records the address of the called routine, on exit only its result.
void KernelActivity::add_system_call(const Record& record, std::uint16_t hook, Bytes payload) {
  activity::SystemCall fact;
  fact.time = record.time;
  fact.processor = record.processor;
  fact.thread = timeline_->running_thread(record.processor);
  fact.begins = hook == kHookSystemCallEnter;
  if (fact.begins) {
    if (payload.size() < record.pointer_bytes) return;
    fact.number = system_call_number(pointer_at(payload.data(), record.pointer_bytes));
  }
  timeline_->add(fact);
}

// Numbers the system calls in order of appearance; kUnknown beyond the limit.
std::uint32_t KernelActivity::system_call_number(std::uint64_t address) {
  auto known = system_calls_.find(address);
  if (known != system_calls_.end()) return known->second;
  if (system_calls_.size() == kMaxSystemCalls) return activity::kUnknown;
  auto number = static_cast<std::uint32_t>(system_calls_.size());
  system_calls_.emplace(address, number);
  return number;
}

void KernelActivity::finish(Ticks end) {
  timeline_->finish(std::max(end, last_time_));
  // All images are known only now, since a trace may list them at its end.
  for (auto [address, number] : system_calls_) {
    timeline_->add(activity::SystemCallFact{number, timeline_->symbol(0, address),
                                            activity::WaitsFor::unknown});
  }
}

// Bits of the group masks. Source: PERF_* in ntwmi.h as Geoff Chappell documents them.
void KernelActivity::add_masks(Bytes payload) {
  if (payload.size() < 32) return;
  auto mask0 = load<std::uint32_t>(payload.data());
  auto mask1 = load<std::uint32_t>(payload.data() + 4);
  if ((mask0 | mask1) == 0) return;  // the empty masks of a user session
  constexpr std::uint32_t kDiskIo = 0x100;
  constexpr std::uint32_t kHardFaults = 0x2000;
  constexpr std::uint32_t kAllFaults = 0x1000;
  enabled_.known = true;
  enabled_.context_switches = enabled_.context_switches || (mask1 & 0x4) || (mask0 & 0x10);
  enabled_.deferred_routines = enabled_.deferred_routines || (mask1 & 0x80) || (mask0 & 0x20);
  enabled_.ready_threads = enabled_.ready_threads || (mask1 & 0x200) || (mask0 & 0x800);
  enabled_.interrupts = enabled_.interrupts || (mask1 & 0x4000) || (mask0 & 0x40);
  enabled_.disk = enabled_.disk || (mask0 & kDiskIo);
  enabled_.page_faults = enabled_.page_faults || (mask0 & (kHardFaults | kAllFaults));
}

namespace {

// Where an event without ids in its header names the thread or process that caused it. That need
// not be the one that runs where the event is logged.
struct NamedInPayload {
  std::size_t thread_at = kNowhere;
  std::size_t process_at = kNowhere;
  static constexpr std::size_t kNowhere = ~std::size_t{0};
};

NamedInPayload named_in_payload(const Record& record, const RecordHeader& header) {
  NamedInPayload at;
  const unsigned pointer = record.pointer_bytes;
  constexpr unsigned kTcpIp = 0x06;
  constexpr unsigned kUdpIp = 0x08;
  if (!header.is_kernel()) return at;
  if (header.hook_id >> 8 == kTcpIp || header.hook_id >> 8 == kUdpIp) {
    at.process_at = 0;
  } else if (header.hook_id == kHookSampledProfile) {
    at.thread_at = pointer;
  } else if (header.hook_id == kHookHardFault) {
    at.thread_at = 16 + 2 * pointer;
  } else if (header.version >= 3 &&
             (header.hook_id == kHookDiskRead || header.hook_id == kHookDiskWrite)) {
    at.thread_at = 32 + 2 * pointer;
  } else if (header.version >= 3 && header.hook_id == kHookDiskFlush) {
    at.thread_at = 16 + pointer;
  }
  return at;
}

}  // namespace

bool KernelActivity::attribute(const Record& record, RecordHeader& header) const {
  constexpr std::uint32_t kNoId = RecordHeader::kNoId;
  if (header.thread_id == kNoId) {
    NamedInPayload named = named_in_payload(record, header);
    std::uint32_t process = id_at(header.payload, named.process_at);
    if (process != kNoId) {
      header.process_id = process;
      return true;
    }
    header.thread_id = id_at(header.payload, named.thread_at);
    if (header.thread_id == kNoId) header.thread_id = timeline_->running_thread(record.processor);
    if (header.thread_id == kNoId) return false;
    if (header.process_id == kNoId) header.process_id = timeline_->process_of(header.thread_id);
    return true;
  }
  if (header.process_id != kNoId) return false;
  header.process_id = timeline_->process_of(header.thread_id);
  return header.process_id != kNoId;
}

}  // namespace tailgate::etl
