#include "harness/etl/buffers_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "harness/base/error.h"
#include "harness/etl/record.h"

namespace tailgate::etl {
namespace {

constexpr std::size_t kMaxCells = 1'000'000;

struct BufferUse {
  double last_ms = 0;
  std::uint16_t processor = 0;
  std::uint32_t records = 0;
  std::uint32_t filled_bytes = 0;
  bool flagged = false;
};

struct Cell {
  std::uint64_t buffers = 0;
  std::uint64_t records = 0;
  std::uint64_t filled_bytes = 0;
  std::uint64_t flagged = 0;
};

// Nothing for a buffer without a readable record.
std::optional<BufferUse> use_of(const TraceFile& file, const BufferRef& buffer,
                                std::vector<std::uint8_t>& scratch) {
  const Bytes bytes = load_buffer(file, buffer, scratch);
  if (bytes.size() < kBufferHeaderBytes) return std::nullopt;
  BufferUse use;
  use.processor = buffer.processor;
  use.filled_bytes = buffer.filled_bytes;
  use.flagged = (buffer.flags & (kEventsLost | kBufferLost)) != 0;
  RecordCursor cursor(bytes, buffer.processor);
  Record record;
  std::int64_t last = 0;
  while (cursor.next(record)) {
    last = use.records == 0 ? record.time : std::max(last, record.time);
    ++use.records;
  }
  if (use.records == 0) return std::nullopt;
  const SessionClock& clock = file.epochs()[buffer.epoch].clock;
  use.last_ms = static_cast<double>(clock.elapsed_ns(last)) / 1e6;
  return use;
}

using Cells = std::map<std::pair<std::int64_t, std::uint16_t>, Cell>;

Cells cells_of(const std::vector<BufferUse>& uses, double interval_ms, std::uint64_t& left_out) {
  constexpr double kMostIntervals = 1e15;
  Cells cells;
  for (const BufferUse& use : uses) {
    const double interval = std::floor(use.last_ms / interval_ms);
    const auto number =
        static_cast<std::int64_t>(std::clamp(interval, -kMostIntervals, kMostIntervals));
    if (cells.size() >= kMaxCells && !cells.contains({number, use.processor})) {
      ++left_out;
      continue;
    }
    Cell& cell = cells[{number, use.processor}];
    ++cell.buffers;
    cell.records += use.records;
    cell.filled_bytes += use.filled_bytes;
    cell.flagged += use.flagged ? 1 : 0;
  }
  return cells;
}

std::string text_of(const Cells& cells, double interval_ms, std::uint64_t buffer_bytes,
                    bool as_json) {
  std::string out = as_json ? "" : std::string(kBufferColumns) + "\n";
  for (const auto& [key, cell] : cells) {
    const double from_ms = static_cast<double>(key.first) * interval_ms;
    out += fmt::format(
        fmt::runtime(as_json ? "{{\"from_ms\":{:.3f},\"to_ms\":{:.3f},\"cpu\":{},\"buffers\":{},"
                               "\"records\":{},\"filled_bytes\":{},\"buffer_bytes\":{},"
                               "\"flagged_lost\":{}}}\n"
                             : "{:.3f}\t{:.3f}\t{}\t{}\t{}\t{}\t{}\t{}\n"),
        from_ms, from_ms + interval_ms, key.second, cell.buffers, cell.records, cell.filled_bytes,
        cell.buffers * buffer_bytes, cell.flagged);
  }
  return out;
}

// What is not in the table; empty when everything is.
std::string note_of(std::uint64_t without_record, std::uint64_t over_limit) {
  std::string note;
  if (without_record != 0) {
    note = fmt::format("{} buffers have no record that can be read, so no time", without_record);
  }
  if (over_limit != 0) {
    note += fmt::format("{}{} buffers are beyond {} rows; give a longer --interval-ms",
                        note.empty() ? "" : "\n", over_limit, kMaxCells);
  }
  return note;
}

}  // namespace

std::string report_buffers(const std::vector<const TraceFile*>& files, double interval_ms,
                           TextFormat format, const TextSink& sink) {
  constexpr double kIntervals = 20;
  constexpr double kShortestMs = 0.001;
  if (interval_ms != 0 && !(interval_ms >= kShortestMs)) {
    throw Error(fmt::format("{} ms is no interval", interval_ms),
                "give --interval-ms 0.001 or more");
  }
  std::uint64_t without_record = 0;
  std::uint64_t over_limit = 0;
  for (const TraceFile* file : files) {
    std::vector<BufferUse> uses;
    std::vector<std::uint8_t> scratch;
    for (const BufferRef& buffer : file->buffers()) {
      if (buffer.type == BufferType::header) continue;
      if (auto use = use_of(*file, buffer, scratch)) {
        uses.push_back(*use);
      } else {
        ++without_record;
      }
    }
    double last_ms = 0;
    for (const BufferUse& use : uses) last_ms = std::max(last_ms, use.last_ms);
    const double interval =
        interval_ms != 0 ? interval_ms : std::max(kShortestMs, last_ms / kIntervals);
    const std::string text = text_of(cells_of(uses, interval, over_limit), interval,
                                     file->header().buffer_bytes, format == TextFormat::json);
    if (!sink(text)) return {};
  }
  return note_of(without_record, over_limit);
}

}  // namespace tailgate::etl
