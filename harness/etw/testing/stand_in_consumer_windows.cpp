// The stand-in's functions for a real-time consumer: its ProcessTrace empties the buffers.
#include <algorithm>
#include <chrono>
#include <vector>

#include "harness/etl/record.h"
#include "harness/etw/testing/stand_in_memory_windows.h"

namespace {

using namespace tailgate::etw::stand_in;
namespace etl = tailgate::etl;

constexpr TRACEHANDLE kConsumerHandle = 11;

struct Consumer {
  std::uint32_t session = kSessions;
  PEVENT_RECORD_CALLBACK callback = nullptr;
  void* context = nullptr;
  std::atomic<bool> closed = false;
};
Consumer consumer;

struct TakenRecord {
  std::int64_t time;
  std::uint16_t processor;
  std::vector<std::uint8_t> bytes;
};

std::vector<TakenRecord> take_records(bool all) {
  std::vector<TakenRecord> records;
  Session& session = shared().sessions[consumer.session];
  const auto keep = [&session] {
    const bool lost = planted("realtime_buffer_lost") && session.realtime_buffers_lost == 0;
    session.realtime_buffers_lost += lost ? 1 : 0;
    return !lost;
  };
  const Lock lock;
  empty_buffers(consumer.session, all, keep,
                [&](std::uint16_t processor, const std::uint8_t* record, std::uint32_t bytes) {
                  std::int64_t time = 0;
                  std::memcpy(&time, record + 0x10, sizeof time);
                  records.push_back({time, processor, {record, record + bytes}});
                });
  std::stable_sort(records.begin(), records.end(),
                   [](const auto& a, const auto& b) { return a.time < b.time; });
  return records;
}

void deliver(const TakenRecord& stored) {
  etl::Record record;
  record.data = stored.bytes.data();
  record.time = stored.time;
  record.size_bytes = static_cast<std::uint32_t>(stored.bytes.size());
  record.header_bytes = sizeof(EVENT_HEADER);
  record.processor = stored.processor;
  record.kind = etl::RecordKind::event;
  const etl::RecordHeader header = etl::decode_header(record);
  std::vector<EVENT_HEADER_EXTENDED_DATA_ITEM> items;
  etl::ExtendedCursor cursor(header.extended);
  for (etl::ExtendedItem item; cursor.next(item);) {
    EVENT_HEADER_EXTENDED_DATA_ITEM native = {};
    native.ExtType = static_cast<USHORT>(item.type);
    native.DataSize = static_cast<USHORT>(item.data.size());
    native.DataPtr = reinterpret_cast<ULONGLONG>(item.data.data());
    items.push_back(native);
  }
  EVENT_RECORD event = {};
  static_assert(sizeof event.EventHeader == 0x50);
  std::memcpy(&event.EventHeader, stored.bytes.data(), sizeof event.EventHeader);
  event.ExtendedDataCount = static_cast<USHORT>(items.size());
  event.ExtendedData = items.data();
  event.UserDataLength = static_cast<USHORT>(header.payload.size());
  event.UserData = const_cast<std::uint8_t*>(header.payload.data());
  event.UserContext = consumer.context;
  consumer.callback(&event);
}

// Delivers the session's own event, which comes first.
void deliver_header() {
  constexpr GUID kEventTraceGuid = {
      0x68fdd900, 0x4a3e, 0x11d1, {0x84, 0xf4, 0x00, 0x00, 0xf8, 0x04, 0x64, 0xe3}};
  TRACE_LOGFILE_HEADER payload = {};
  EVENT_RECORD event = {};
  event.EventHeader.ProviderId = kEventTraceGuid;
  event.UserData = &payload;
  event.UserDataLength = sizeof payload;
  event.UserContext = consumer.context;
  consumer.callback(&event);
}

}  // namespace

extern "C" {

__declspec(dllexport) TRACEHANDLE WINAPI OpenTraceW(EVENT_TRACE_LOGFILEW* source) {
  const std::uint32_t session =
      source->LoggerName == nullptr ? kSessions : session_named(source->LoggerName);
  if (planted("open_fails") || session == kSessions) {
    SetLastError(planted("open_fails") ? ERROR_ACCESS_DENIED : 4201);
    return ~TRACEHANDLE{0};
  }
  consumer.session = session;
  consumer.callback = source->EventRecordCallback;
  consumer.context = source->Context;
  consumer.closed = false;
  return kConsumerHandle;
}

// Returns when the session has stopped and all of its buffers are empty.
__declspec(dllexport) ULONG WINAPI ProcessTrace(TRACEHANDLE*, ULONG, FILETIME*, FILETIME*) {
  deliver_header();
  const Session& session = shared().sessions[consumer.session];
  auto last_flush = std::chrono::steady_clock::now();
  const std::chrono::seconds timer(std::max<ULONG>(session.asked.FlushTimer, 1));
  while (!consumer.closed) {
    const bool over = session.running == 0;
    const auto now = std::chrono::steady_clock::now();
    const bool flush = over || now - last_flush >= timer;
    if (flush) last_flush = now;
    for (const TakenRecord& record : take_records(flush)) deliver(record);
    if (over) return ERROR_SUCCESS;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return ERROR_CANCELLED;
}

__declspec(dllexport) ULONG WINAPI CloseTrace(TRACEHANDLE) {
  consumer.closed = true;
  return ERROR_SUCCESS;
}

}  // extern "C"
