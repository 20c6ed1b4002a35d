// What other benchmarks measured, as repetitions: the value of every figure in every process.
//
// A repetition is one process. Values of one process have its memory layout, its heap and its
// machine state in common; so they tell little of how much the next process differs, and count as
// one repetition together: their median.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tailgate {

// Names a figure. Smaller is better.
struct FigureName {
  std::string benchmark;    // as the tool calls it; empty where the tool has no names
  std::string_view metric;  // "real_time"; empty where there is one only
  std::string_view unit;    // "ns"; empty: unknown
  bool headline = true;     // judged unless the user says otherwise; else only reported
};

struct FigureSeries {
  std::string name;    // benchmark and metric: "BM_sort/64 real_time"
  std::string metric;  // alone
  std::string unit;
  bool headline = true;
  std::vector<double> values;  // one per repetition, in the order of the input; finite
};

struct SampleSet {
  std::vector<FigureSeries> series;   // in the order of their first appearance
  std::size_t processes = 0;          // whose output was read; 0: every value is one process
  std::size_t pooled = 1;             // most values of one figure that came from one process
  std::vector<std::string> machines;  // distinct names, where the tool writes them; two at most

  // Whether a process lacks this figure, which is then no fair sample.
  bool is_incomplete(const FigureSeries& figure) const {
    return processes > 0 && figure.values.size() < processes;
  }
};

// Collects what a reader finds. All bounds are on the input's size; see kMaxSampleBytes.
class SampleCollector {
 public:
  // Each throws Error, beginning with `origin`, for a value that is not finite, and for more than
  // kMaxFigures or kMaxValues.
  explicit SampleCollector(std::string origin) : origin_(std::move(origin)) {}

  // A value that one process gave.
  void add_repetition(const FigureName& name, double value);

  // One of the values of the process whose output is read; end_process() makes a repetition of all
  // since the last call.
  void add(const FigureName& name, double value);
  void end_process();

  void add_machine(const std::string& name);
  const std::string& origin() const { return origin_; }
  void set_origin(std::string origin) { origin_ = std::move(origin); }

  SampleSet take() { return std::move(samples_); }

 private:
  std::size_t index_of(const FigureName& name, double value);
  void append(std::vector<double>& values, double value) const;

  std::string origin_;
  SampleSet samples_;
  std::unordered_map<std::string, std::size_t> index_;  // of a series by its name
  std::vector<std::vector<double>> of_process_;         // by series
  std::vector<std::size_t> touched_;                    // series with values in of_process_
};

inline constexpr std::size_t kMaxFigures = 2'000;
inline constexpr std::size_t kMaxValues = 1'000'000;  // of one figure

}  // namespace tailgate
