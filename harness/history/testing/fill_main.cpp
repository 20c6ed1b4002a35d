// Fills a history as many machines do in years, to measure what it costs then:
//   tailgate_history_fill PLACE MACHINES NIGHTS [FIRST]
// PLACE: a new file, or the URL of an empty database; one that holds the nights before FIRST gets
// those from there on. A machine's night has 200 documents: nine runs and a duet of each of 20
// sinks, appended together as `tailgate history import` does; then the charts and the fleet take
// the night. Prints what that costs along the way. No figure in the documents was measured: the
// distributions are of testing/sample_night.h, the effects of duets scatter around 0.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iterator>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/history/charts.h"
#include "harness/history/dates.h"
#include "harness/history/fleet.h"
#include "harness/history/history.h"
#include "harness/history/read_records.h"
#include "harness/history/testing/sample_night.h"
#include "harness/result/json.h"
#include "harness/result/sample_duet.h"

namespace tailgate::history {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr int kSinks = 20;
constexpr int kRunsOfSink = 9;
constexpr int kDocumentsANight = kSinks * (kRunsOfSink + 1);
constexpr int kMachinesOfGroup = 10;
constexpr std::size_t kRecordsAtOnce = 64;  // as `tailgate history import`
constexpr std::int64_t kDayMs = 24LL * 60 * 60 * 1000;
constexpr std::int64_t kMinuteMs = 60LL * 1000;
constexpr double kNightScatter = 0.01;  // of a duet's effect, as a logarithm
// One sink becomes slower, two thirds of the nights on, so that the history has a finding.
constexpr int kSlowerSink = 3;
constexpr double kSlower = 0.08;

class Filler {
 public:
  Filler(const std::string& place, int machines, int nights, int first)
      : history_(History::open(place, Access::write)),
        machines_(machines),
        nights_(nights),
        first_(first),
        numbered_(std::int64_t{first} * machines * kDocumentsANight),
        printed_at_(first) {
    for (std::uint64_t seed = 1; seed <= kRunsOfSink; ++seed) {
      runs_.push_back(read_records(write_result(sample_run({.seed = seed})), "run.json").at(0));
    }
    duet_ = read_records(write_duet(sample_duet()), "duet.json").at(0);
  }

  void fill() {
    for (int night = first_; night < nights_; ++night) {
      for (int machine = 0; machine < machines_; ++machine) append_night(night, machine);
      const Clock::time_point before = Clock::now();
      update_charts(history_);
      update_fleet(history_);
      charting_ += Clock::now() - before;
      if (night + 1 - printed_at_ > nights_ / 10 || night + 1 == nights_) print_costs(night + 1);
    }
    history_.sync();
  }

 private:
  void append_night(int night, int machine) {
    std::vector<Record> records;
    for (int sink = 0; sink < kSinks; ++sink) {
      for (const Record& like : runs_) records.push_back(record_of(like, night, machine, sink));
      records.push_back(duet_of(night, machine, sink));
      for (Record& record : std::span(records).last(kRunsOfSink + 1)) number(record);
    }
    const Clock::time_point before = Clock::now();
    for (std::size_t first = 0; first < records.size(); first += kRecordsAtOnce) {
      const std::size_t end = std::min(records.size(), first + kRecordsAtOnce);
      const auto at = [&records](std::size_t i) {
        return std::make_move_iterator(records.begin() + static_cast<std::ptrdiff_t>(i));
      };
      for (const Appended one : history_.append(std::vector<Record>(at(first), at(end)))) {
        if (one != Appended::added) throw std::runtime_error("the place holds a history already");
      }
    }
    appending_ += Clock::now() - before;
    appended_ += kDocumentsANight;
  }

  Record record_of(const Record& like, int night, int machine, int sink) const {
    Record record = like;
    record.started_ms = runs_.front().started_ms + night * kDayMs + machine * kMinuteMs;
    record.night = date_of(record.started_ms);
    record.machine = fmt::format("m{:02}", machine);
    record.fingerprint = fmt::format("{:016x}", machine / kMachinesOfGroup + 1);
    record.environment = runs_.front().environment;  // a machine that never changes
    record.revision = fmt::format("{:040x}", night);
    record.sink = fmt::format("sink{}", sink);
    for (Distribution& one : record.distributions) one.series.sink = record.sink;
    for (Figure& one : record.figures) one.series.sink = record.sink;
    return record;
  }

  Record duet_of(int night, int machine, int sink) {
    Record record = record_of(duet_, night, machine, sink);
    record.reference = fmt::format("{:040x}", 0);
    const bool slower = sink == kSlowerSink && night >= 2 * nights_ / 3;
    for (Figure& one : record.figures) {
      if (one.series.part != "effect" || one.series.unit != "ln ratio") continue;
      one.value = scatter_(random_) + (slower ? kSlower : 0);
    }
    return record;
  }

  void number(Record& record) { record.id = record.hash = std::to_string(++numbered_); }

  void print_costs(int night) {
    fmt::print(
        "{} nights, {} documents: append {:.3f} ms each, charts and fleet {:.1f} ms a night\n",
        night, numbered_, Milliseconds(appending_).count() / appended_,
        Milliseconds(charting_).count() / (night - printed_at_));
    std::fflush(stdout);
    appending_ = charting_ = {};
    appended_ = 0;
    printed_at_ = night;
  }

  History history_;
  int machines_;
  int nights_;
  int first_;
  std::int64_t numbered_;
  int printed_at_;  // night of the last line; what follows is since then
  int appended_ = 0;
  Clock::duration appending_{};
  Clock::duration charting_{};
  std::vector<Record> runs_;
  Record duet_;
  std::mt19937_64 random_{1};
  std::normal_distribution<double> scatter_{0, kNightScatter};
};

}  // namespace
}  // namespace tailgate::history

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) {
    std::fputs("usage: tailgate_history_fill PLACE MACHINES NIGHTS [FIRST]\n", stderr);
    return 2;
  }
  try {
    const int first = argc == 5 ? std::stoi(argv[4]) : 0;
    tailgate::history::Filler(argv[1], std::stoi(argv[2]), std::stoi(argv[3]), first).fill();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tailgate_history_fill: %s\n", error.what());
    return 1;
  }
}
