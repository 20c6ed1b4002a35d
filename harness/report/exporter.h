// Results in the formats of other tools: one exporter a file, behind this interface.
//
// To add a format: write one file with a class and its function below, and put the function into
// the list in exporter.cpp.
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "harness/result/result.h"

namespace tailgate {

// Which of a trial's distributions.
enum class LatencyKind { service, response, delivery, start_lag };
inline constexpr LatencyKind kLatencyKinds[] = {LatencyKind::service, LatencyKind::response,
                                                LatencyKind::delivery, LatencyKind::start_lag};

// "service", "response", "delivery", "start_lag".
std::string_view latency_kind_name(LatencyKind kind);

// The kind of that name; throws Error with the valid names.
LatencyKind parse_latency_kind(std::string_view name);

// A trial's distribution; nullptr where it was not measured or holds nothing.
const Latency* find_latency(const Trial& trial, LatencyKind kind);

struct ExportOptions {
  LatencyKind kind = LatencyKind::response;  // for formats that hold one distribution
};

class Exporter {
 public:
  virtual ~Exporter() = default;

  virtual std::string name() const = 0;         // what `tailgate export` calls it
  virtual std::string description() const = 0;  // one line, no full stop
  virtual std::string extension() const = 0;    // of the file's name, with the dot

  // Throws Error when the result has nothing that the format could hold. Whether writing to the
  // stream succeeded is the caller's to check.
  virtual void write(const Result& result, const ExportOptions& options,
                     std::ostream& out) const = 0;
};

const Exporter& gbench_exporter();
const Exporter& hgrm_exporter();
const Exporter& hlog_exporter();
const Exporter& csv_exporter();
const Exporter& csv_intervals_exporter();
const Exporter& perfetto_exporter();

// All of them, by name.
std::vector<const Exporter*> exporters();

// The one of that name; throws Error with the valid names.
const Exporter& find_exporter(std::string_view name);

// The result with the trials and the summary of one step only. Throws Error with the steps that
// there are when it has no such step.
Result select_step(const Result& result, unsigned step);

}  // namespace tailgate
