#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/base/quoting.h"
#include "harness/etl/json_table.h"
#include "harness/etl/kernel_activity.h"
#include "harness/etl/report.h"
#include "harness/etl/trace_reader.h"

namespace tailgate::etl {
namespace {

using activity::InterruptKind;
using activity::Ticks;
using activity::Timeline;
using Json = nlohmann::ordered_json;

std::string_view name_of(InterruptKind kind) {
  switch (kind) {
    case InterruptKind::hardware:
      return "ISR";
    case InterruptKind::deferred:
      return "DPC";
    case InterruptKind::deferred_timer:
      return "TimerDPC";
    case InterruptKind::deferred_threaded:
      return "ThreadedDPC";
  }
  return "";
}

template <typename Row>
void largest_first(std::vector<Row>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return a.at("cpu_s").template get<double>() > b.at("cpu_s").template get<double>();
  });
}

Json process_rows(const Timeline& timeline) {
  std::vector<Json> rows;
  std::vector<Ticks> ticks = timeline.process_ticks();
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    bool unnamed = i == timeline.processes().size();
    if (ticks[i] == 0) continue;
    Json row;
    row["pid"] = unnamed ? Json() : Json(timeline.processes()[i].process);
    row["name"] = unnamed ? "(threads that the trace does not name)" : timeline.processes()[i].name;
    row["cpu_s"] = timeline.seconds(ticks[i]);
    rows.push_back(std::move(row));
  }
  largest_first(rows);
  return rows;
}

Json thread_rows(const Timeline& timeline) {
  std::vector<Json> rows;
  for (const activity::ThreadUse& thread : timeline.threads()) {
    if (thread.thread == 0 || (thread.cpu_ticks == 0 && thread.switches_in == 0)) continue;
    Json row;
    row["tid"] = thread.thread;
    row["pid"] = thread.process == activity::kUnknown
                     ? Json()
                     : Json(timeline.processes()[thread.process].process);
    row["name"] = thread.name;
    row["cpu_s"] = timeline.seconds(thread.cpu_ticks);
    row["switches_in"] = thread.switches_in;
    row["preemptions"] = thread.preemptions;
    row["wake_ups"] = thread.wake_ups;
    double mean = thread.wake_ups == 0 ? 0
                                       : timeline.seconds(thread.wake_up_ticks_sum) * 1e9 /
                                             static_cast<double>(thread.wake_ups);
    row["wake_up_mean_ns"] = mean;
    row["wake_up_max_ns"] = timeline.seconds(thread.wake_up_ticks_max) * 1e9;
    rows.push_back(std::move(row));
  }
  largest_first(rows);
  return rows;
}

Json routine_rows(const Timeline& timeline) {
  std::vector<Json> rows;
  for (const activity::RoutineUse& routine : timeline.routines()) {
    Json row;
    row["kind"] = name_of(routine.kind);
    row["routine"] = timeline.symbol(0, routine.routine);
    row["address"] = fmt::format("{:#x}", routine.routine);
    row["calls"] = routine.calls;
    row["cpu_s"] = timeline.seconds(routine.cpu_ticks);
    row["longest_ns"] = timeline.seconds(routine.longest_ticks) * 1e9;
    rows.push_back(std::move(row));
  }
  largest_first(rows);
  return rows;
}

Json processor_rows(const Timeline& timeline) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < timeline.processors().size(); ++i) {
    const activity::ProcessorUse& use = timeline.processors()[i];
    if (!use.seen) continue;
    rows.push_back({{"processor", i},
                    {"threads_s", timeline.seconds(use.thread_ticks)},
                    {"interrupts_s", timeline.seconds(use.interrupt_ticks)},
                    {"idle_s", timeline.seconds(use.idle_ticks)},
                    {"switches", use.switches}});
  }
  return rows;
}

Json disk_rows(const KernelActivity& kernel) {
  const Timeline& timeline = kernel.timeline();
  Json rows = Json::array();
  for (const auto& [number, disk] : kernel.disks()) {
    std::uint64_t all = disk.reads + disk.writes + disk.flushes;
    rows.push_back({{"disk", number},
                    {"reads", disk.reads},
                    {"read_bytes", disk.read_bytes},
                    {"writes", disk.writes},
                    {"write_bytes", disk.write_bytes},
                    {"flushes", disk.flushes},
                    {"response_mean_ns", all == 0 ? 0
                                                  : timeline.seconds(disk.response_ticks_sum) *
                                                        1e9 / static_cast<double>(all)},
                    {"response_max_ns", timeline.seconds(disk.response_ticks_max) * 1e9}});
  }
  return rows;
}

// Lists what is missing and why, so that nobody mistakes a zero in the report for a measurement.
Json notes(const KernelActivity& kernel) {
  const KernelActivity::Enabled& enabled = kernel.enabled();
  Json rows = Json::array();
  auto missing = [&](bool recorded, bool was_enabled, std::string_view what) {
    if (recorded) return;
    rows.push_back(fmt::format("{}: none in the trace{}", what,
                               !enabled.known ? ""
                               : was_enabled  ? ", though they were enabled"
                                              : "; they were not enabled in the session"));
  };
  bool interrupts = false;
  bool deferred = false;
  for (const activity::RoutineUse& routine : kernel.timeline().routines()) {
    (routine.kind == InterruptKind::hardware ? interrupts : deferred) = true;
  }
  missing(kernel.timeline().switches() > 0, enabled.context_switches, "context switches");
  missing(kernel.timeline().ready_records() > 0, enabled.ready_threads, "ready-thread events");
  missing(interrupts, enabled.interrupts, "ISRs");
  missing(deferred, enabled.deferred_routines, "DPCs");
  if (std::uint64_t count = kernel.switch_batches()) {
    rows.push_back(fmt::format(
        "{} batches of compact context switches are not accounted; record without them", count));
  }
  if (std::uint64_t count = kernel.timeline().mismatched_switches()) {
    rows.push_back(
        fmt::format("{} switches do not follow from the one before: events are missing", count));
  }
  return rows;
}

Json cpu_json(const KernelActivity& kernel, const LogFileHeader& header) {
  const Timeline& timeline = kernel.timeline();
  Json json;
  json["session_name"] = header.session_name;
  json["switches"] = timeline.switches();
  json["notes"] = notes(kernel);
  json["processors"] = processor_rows(timeline);
  json["processes"] = process_rows(timeline);
  json["threads"] = thread_rows(timeline);
  json["routines"] = routine_rows(timeline);
  const Histogram& wake_up = timeline.wake_up_ns();
  json["wake_up_ns"] = {{"count", wake_up.total_count()},
                        {"p50", wake_up.value_at_quantile(0.5)},
                        {"p99", wake_up.value_at_quantile(0.99)},
                        {"p999", wake_up.value_at_quantile(0.999)},
                        {"max", wake_up.max()}};
  json["disks"] = disk_rows(kernel);
  const FaultUse& faults = kernel.faults();
  double hard_mean = faults.hard == 0 ? 0
                                      : timeline.seconds(faults.hard_ticks_sum) * 1e9 /
                                            static_cast<double>(faults.hard);
  json["page_faults"] = {{"soft", faults.soft},
                         {"hard", faults.hard},
                         {"access_violations", faults.access_violations},
                         {"hard_bytes", faults.hard_bytes},
                         {"hard_mean_ns", hard_mean},
                         {"hard_max_ns", timeline.seconds(faults.hard_ticks_max) * 1e9}};
  return json;
}

std::string cpu_text(const Json& json, std::size_t max_rows) {
  std::string out = fmt::format("session {}, {} context switches\n",
                                printable(json["session_name"].get<std::string>()),
                                json["switches"].get<std::uint64_t>());
  for (const Json& note : json["notes"]) out += "note: " + note.get<std::string>() + "\n";
  append_json_table("processors", json["processors"], 4096, out);
  append_json_table("processes", json["processes"], max_rows, out);
  append_json_table("threads", json["threads"], max_rows, out);
  append_json_table("interrupt routines", json["routines"], max_rows, out);
  append_json_table("wake-up latency", Json::array({json["wake_up_ns"]}), 1, out);
  append_json_table("disks", json["disks"], max_rows, out);
  append_json_table("page faults", Json::array({json["page_faults"]}), 1, out);
  return out;
}

}  // namespace

void report_cpu(const std::vector<const TraceFile*>& files, TextFormat format, std::size_t max_rows,
                const TextSink& sink) {
  TraceReader reader(files, ReadOrder::time);
  std::unique_ptr<KernelActivity> kernel;
  const LogFileHeader* header = nullptr;
  auto finish = [&] {
    if (!kernel) return true;
    kernel->finish();
    Json json = cpu_json(*kernel, *header);
    return sink(format == TextFormat::json
                    ? json_text(json.dump(-1, ' ', false, Json::error_handler_t::replace)) + "\n"
                    : cpu_text(json, max_rows));
  };
  while (const Record* record = reader.next()) {
    if (header != &reader.header()) {
      if (!finish()) return;
      header = &reader.header();
      kernel = std::make_unique<KernelActivity>(*header, reader.clock());
    }
    kernel->add(*record);
  }
  finish();
}

}  // namespace tailgate::etl
