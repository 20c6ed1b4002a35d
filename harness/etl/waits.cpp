#include "harness/etl/waits.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "harness/base/quoting.h"
#include "harness/etl/json_table.h"
#include "harness/etl/trace_reader.h"
#include "harness/etl/wait_reasons.h"

namespace tailgate::etl {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxWaitingThreads = 262'144;
constexpr std::size_t kMaxWaitRows = 65'536;

void add_up(std::uint64_t& sum, std::uint64_t ns) {
  sum += std::min(ns, std::numeric_limits<std::uint64_t>::max() - sum);
}

}  // namespace

void Waits::add(const Record& record, std::int64_t time_ns) {
  const RecordHeader header = decode_header(record);
  if (!header.is_kernel()) return;
  if (header.hook_id == kHookContextSwitch) {
    add_switch(header.payload, time_ns);
  } else if (header.hook_id == kHookReadyThread) {
    add_ready(record, header.payload, time_ns);
  } else if (header.hook_id == kHookThreadEnd && header.payload.size() >= 8) {
    off_.erase(load<std::uint32_t>(header.payload.data() + 4));  // its id will be another's
  }
}

std::uint32_t Waits::process_of(std::uint32_t thread) const {
  const std::uint32_t process = kernel_.timeline().process_of(thread);
  if (process != activity::kUnknown) return process;
  const auto at = processes_.find(thread);
  return at == processes_.end() ? activity::kUnknown : at->second;
}

void Waits::add_switch(Bytes payload, std::int64_t time_ns) {
  if (payload.size() < 16) return;
  ++switches_;
  const auto new_thread = load<std::uint32_t>(payload.data());
  const auto old_thread = load<std::uint32_t>(payload.data() + 4);
  if (const auto at = off_.find(new_thread); new_thread != 0 && at != off_.end()) {
    const Off& off = at->second;
    const Wait key{process_of(new_thread), off.reason};
    if (waits_.size() < kMaxWaitRows || waits_.contains(key)) {
      WaitUse& use = waits_[key];
      use.off.record(duration_between(off.since_ns, time_ns));
      use.priority_min = std::min(use.priority_min, off.priority);
      use.priority_max = std::max(use.priority_max, off.priority);
      if (load<std::int8_t>(payload.data() + 8) > off.priority) ++use.raised;
      if (off.ready_ns != kNotReady) {
        ++use.readied;
        add_up(use.ready_ns, duration_between(off.ready_ns, time_ns));
      }
    }
    off_.erase(at);
  }
  if (old_thread == 0 || (off_.size() >= kMaxWaitingThreads && !off_.contains(old_thread))) return;
  // A thread that did not wait, but lost its processor, has been ready since.
  const std::uint8_t reason = payload[12];
  off_[old_thread] = {time_ns, wait_reason(reason).ready ? time_ns : kNotReady, reason,
                      load<std::int8_t>(payload.data() + 9)};
}

void Waits::add_ready(const Record& record, Bytes payload, std::int64_t time_ns) {
  if (payload.size() < 4) return;
  const auto woken = load<std::uint32_t>(payload.data());
  const auto at = off_.find(woken);
  // Only the first event after the switch out ends a wait.
  if (at == off_.end() || at->second.ready_ns != kNotReady) return;
  at->second.ready_ns = time_ns;
  constexpr std::uint8_t kByDeferredCall = 1;
  const std::uint32_t thread = kernel_.timeline().running_thread(record.processor);
  Readier key;
  key.by_interrupt = payload.size() >= 7 && (payload[6] & kByDeferredCall) != 0;
  if (!key.by_interrupt && thread != activity::kUnknown) key.process = process_of(thread);
  key.woken = process_of(woken);
  if (readiers_.size() >= kMaxWaitRows && !readiers_.contains(key)) return;
  ReadierUse& use = readiers_[key];
  ++use.count;
  add_up(use.waited_ns, duration_between(at->second.since_ns, time_ns));
}

namespace {

using Processes = std::unordered_map<std::uint32_t, std::uint32_t>;

// The processes of threads, by events anywhere in the files: a trace may name them at its end.
Processes processes_in(const std::vector<const TraceFile*>& files) {
  Processes processes;
  TraceReader reader(files, ReadOrder::file);
  while (const Record* record = reader.next()) {
    const RecordHeader header = decode_header(*record);
    const bool of_thread = header.is_kernel() && header.hook_id >= kHookThreadStart &&
                           header.hook_id <= kHookThreadRundownEnd;
    if (!of_thread || header.payload.size() < 8 || processes.size() >= kMaxWaitingThreads) continue;
    processes[load<std::uint32_t>(header.payload.data() + 4)] =
        load<std::uint32_t>(header.payload.data());
  }
  return processes;
}

// Names of processes, as far as the trace has them.
class ProcessNames {
 public:
  explicit ProcessNames(const activity::Timeline& timeline) {
    for (const activity::ProcessUse& use : timeline.processes()) {
      if (!use.name.empty()) names_[use.process] = use.name;
    }
  }
  std::string of(std::uint32_t process) const {
    if (process == activity::kUnknown) return "unknown";
    const auto at = names_.find(process);
    return fmt::format("{} ({})", at == names_.end() ? "unknown" : at->second, process);
  }

 private:
  std::unordered_map<std::uint32_t, std::string> names_;
};

double wait_ms(std::uint64_t ns) {
  return static_cast<double>(ns) / 1e6;
}

template <typename Rows>
Json largest_first(Rows rows, const char* key) {
  std::stable_sort(rows.begin(), rows.end(), [key](const Json& a, const Json& b) {
    return a.at(key).template get<double>() > b.at(key).template get<double>();
  });
  return rows;
}

Json wait_rows(const Waits& waits, const ProcessNames& names) {
  std::vector<Json> rows;
  for (const auto& [key, use] : waits.waits()) {
    const Histogram histogram = use.off.histogram();
    rows.push_back({{"count", use.off.count()},
                    {"total_ms", wait_ms(use.off.total_ns())},
                    {"p50_ms", wait_ms(histogram.value_at_quantile(0.5))},
                    {"p99_ms", wait_ms(histogram.value_at_quantile(0.99))},
                    {"max_ms", wait_ms(use.off.max_ns())},
                    {"readied", use.readied},
                    {"ready_ms", wait_ms(use.ready_ns)},
                    {"priority_min", use.priority_min},
                    {"priority_max", use.priority_max},
                    {"raised", use.raised},
                    {"reason", wait_reason_name(key.reason)},
                    {"process", names.of(key.process)}});
  }
  return largest_first(std::move(rows), "total_ms");
}

Json readier_rows(const Waits& waits, const ProcessNames& names) {
  std::vector<Json> rows;
  for (const auto& [key, use] : waits.readiers()) {
    rows.push_back({{"count", use.count},
                    {"waited_ms", wait_ms(use.waited_ns)},
                    {"by", key.by_interrupt ? "a DPC" : names.of(key.process)},
                    {"readied", names.of(key.woken)}});
  }
  return largest_first(std::move(rows), "waited_ms");
}

// What the trace did not record, with the reason: a zero of it is no measurement.
Json notes_on(const KernelActivity& kernel, const Waits& waits) {
  const KernelActivity::Enabled& enabled = kernel.enabled();
  Json notes = Json::array();
  const auto missing = [&](bool recorded, bool was_enabled, std::string_view what) {
    if (recorded) return;
    notes.push_back(
        fmt::format("{}: none in the trace{}", what,
                    enabled.known && !was_enabled ? "; they were not enabled in the session" : ""));
  };
  missing(waits.switches() > 0, enabled.context_switches, "context switches");
  missing(!waits.readiers().empty(), enabled.ready_threads, "ready-thread events that end a wait");
  if (const std::uint64_t count = kernel.switch_batches()) {
    notes.push_back(fmt::format(
        "{} batches of compact context switches are not accounted; record without them", count));
  }
  return notes;
}

std::string waits_text(const Json& json, std::size_t max_rows) {
  std::string out = fmt::format("session {}, {} context switches\n",
                                printable(json["session_name"].get<std::string>()),
                                json["switches"].get<std::uint64_t>());
  for (const Json& note : json["notes"]) out += "note: " + note.get<std::string>() + "\n";
  append_json_table("without a processor, by process and reason", json["waits"], max_rows, out);
  append_json_table("who made them ready", json["readiers"], max_rows, out);
  return out;
}

}  // namespace

void report_waits(const std::vector<const TraceFile*>& files, TextFormat format,
                  std::size_t max_rows, const TextSink& sink) {
  const Processes processes = processes_in(files);
  TraceReader reader(files, ReadOrder::time);
  std::unique_ptr<KernelActivity> kernel;
  std::unique_ptr<Waits> waits;
  const LogFileHeader* session = nullptr;
  const auto finish = [&] {
    if (!kernel) return true;
    const ProcessNames names(kernel->timeline());
    const Json json = {{"session_name", session->session_name},
                       {"switches", waits->switches()},
                       {"notes", notes_on(*kernel, *waits)},
                       {"waits", wait_rows(*waits, names)},
                       {"readiers", readier_rows(*waits, names)}};
    return sink(format == TextFormat::json
                    ? json_text(json.dump(-1, ' ', false, Json::error_handler_t::replace)) + "\n"
                    : waits_text(json, max_rows));
  };
  while (const Record* record = reader.next()) {
    if (session != &reader.header()) {
      if (!finish()) return;
      session = &reader.header();
      kernel = std::make_unique<KernelActivity>(*session, reader.clock());
      waits = std::make_unique<Waits>(*kernel, processes);
    }
    waits->add(*record, reader.clock().elapsed_ns(record->time));
    kernel->add(*record);
  }
  finish();
}

}  // namespace tailgate::etl
