#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "harness/report/exporter.h"
#include "harness/report/human.h"

namespace tailgate {
namespace {

using Catch::Contains;

Latency latency(std::uint64_t p50_ns, std::uint64_t p99_9_ns) {
  Latency latency;
  latency.count = 1000;
  latency.p50_ns = p50_ns;
  latency.p99_ns = p99_9_ns / 2;
  latency.p99_9_ns = p99_9_ns;
  latency.max_ns = 2 * p99_9_ns;
  return latency;
}

// One step of one completed trial, whose events were all read back.
Result run(const std::string& sink, double rate_hz, std::uint64_t p50_ns) {
  Result result;
  result.complete = true;
  result.sink.label = sink;
  result.sink.read_back = true;
  StepSummary step;
  step.rate_hz = rate_hz;
  step.trials = 1;
  step.response = latency(p50_ns, 100 * p50_ns);
  result.summary.push_back(step);
  Trial trial;
  trial.outcome = TrialOutcome::completed;
  trial.noise.observed_ns = 100'000'000;
  trial.ledger.checked = true;
  trial.ledger.emitted = 1000;
  trial.ledger.delivered = 1000;
  result.trials.push_back(trial);
  return result;
}

std::string answer_to(const std::vector<Result>& results, const std::string& sort = "") {
  Results named;
  for (const Result& result : results) named.push_back({"a file", result});
  return render(named, "text", {.sort = sort});
}

// The text in one line.
std::string joined_text(std::string text) {
  std::string words;
  std::istringstream lines(std::move(text));
  for (std::string word; lines >> word;) words += word + " ";
  return words;
}

TEST_CASE("the answer names the cheapest sink with its tail and its losses") {
  const std::string answer =
      joined_text(answer_to({run("file", 5000, 500), run("spdlog", 5000, 200)}));
  CHECK_THAT(answer, Contains("Best here at 5k events/s: spdlog. "));
  CHECK_THAT(
      answer,
      Contains("99 % returned within 10.00us of the time they were due, half within 200ns;"));
  CHECK_THAT(answer, Contains("none of 1000 events was lost."));
}

TEST_CASE("the answer names the best of those whose events survive more than the best one's") {
  const auto surviving = [](const char* sink, std::uint64_t p50_ns, Survives what) {
    Result result = run(sink, 5000, p50_ns);
    result.sink.survives = what;
    return result;
  };
  const Result nothing = surviving("async", 100, Survives::nothing);
  const Result kill = surviving("file", 200, Survives::kill);
  Result crash = surviving("odsync", 300, Survives::crash);
  const std::string all = joined_text(answer_to({crash, kill, nothing}));
  CHECK_THAT(all, Contains("Best here at 5k events/s: async."));
  CHECK_THAT(all, Contains("Surviving a crash of the system: odsync, 99 % within 15.00us."));
  CHECK_THAT(joined_text(answer_to({kill, nothing})),
             Contains("Surviving the program's death: file, 99 % within 10.00us."));
  CHECK_THAT(joined_text(answer_to({surviving("best", 50, Survives::crash), kill})),
             !Contains("Surviving"));
  CHECK_THAT(joined_text(answer_to({run("unknown", 5000, 100), kill})),
             Contains("Surviving the program's death: file"));
  crash.trials[0].granted.push_back({"file_system", "tmpfs"});
  CHECK_THAT(joined_text(answer_to({crash, kill})), !Contains("Surviving"));
}

TEST_CASE("a sink that missed the rate, was not read back or is unbalanced is not the cheapest") {
  std::vector<Result> results = {run("slow", 5000, 900), run("fast", 5000, 10)};
  SECTION("missed") {
    results[1].summary[0].saturated = true;
  }
  SECTION("not read back") {
    results[1].trials[0].ledger.checked = false;
  }
  SECTION("unchecked") {
    results[1].trials[0].ledger.unchecked_cause = "the consumer ended by signal 9";
    results[1].trials[0].ledger.checked = false;
    CHECK_THAT(answer_to(results), Contains("      ?"));
  }
  SECTION("unbalanced") {
    results[1].trials[0].ledger.unaccounted = 1;
  }
  SECTION("no trial completed") {
    results[1].summary[0].trials = 0;
  }
  CHECK_THAT(joined_text(answer_to(results)), Contains(": slow. "));
  results[0].summary[0].saturated = true;
  CHECK_THAT(joined_text(answer_to(results)), Contains("no path here held the rate"));
}

TEST_CASE("a sink that lost events is not the best, and its line has the share and a mark") {
  std::vector<Result> results = {run("slow", 5000, 900), run("fast", 5000, 10)};
  results[1].trials[0].ledger.delivered = 990;
  results[1].trials[0].ledger.lost = 10;
  const std::string text = answer_to(results);
  CHECK_THAT(text, Contains("\nx fast ") && Contains(" 1% ") && Contains("x lost events"));
  CHECK_THAT(joined_text(text), Contains("slow. "));
  results[1].trials[0].ledger.delivered = 0;
  results[1].trials[0].ledger.lost = 1000;
  const std::string none_left = answer_to(results);
  CHECK_THAT(none_left, Contains("x fast                     5k        -       -       -"));
  CHECK_THAT(none_left, Contains(" 100% "));
}

TEST_CASE("nothing is trusted where nobody looked whether the machine was free") {
  std::vector<Result> results = {run("file", 1000, 50), run("mmap", 1000, 100)};
  results[1].trials[0].noise.observed_ns = 0;
  const std::string text = joined_text(answer_to(results));
  CHECK_THAT(text, Contains("No path is named the best: nobody looked whether the machine was free "
                            "before 1 of 2 trials (--noise-s 0)."));
  CHECK_THAT(text, Contains("Machine: nobody looked whether the machine was free before 1 of 2"));
}

TEST_CASE("a sink that keeps no event says so, where its name leaves room") {
  std::vector<Result> results = {run("null", 1000, 50), run("file", 1000, 100),
                                 run("kept", 1000, 200), run("a-long-name", 1000, 400)};
  for (Result& result : results) result.sink.read_back = result.sink.label == "file";
  results[2].sink.survives = Survives::kill;
  const std::string text = answer_to(results);
  CHECK_THAT(text, Contains("  null (keeps nothing)     1k "));
  CHECK_THAT(text, Contains("  file                     1k "));
  CHECK_THAT(text, Contains("  kept                     1k "));
  CHECK_THAT(text, Contains("  a-long-name              1k "));
}

TEST_CASE("a quantile without a call beyond it is not shown") {
  Result few = run("few", 5000, 500);
  few.summary[0].response.count = 99;
  few.summary[0].response.p99_9_ns = few.summary[0].response.max_ns = 50'000;
  CHECK_THAT(answer_to({few}), Contains(" 500ns       -       -  50.00us"));
  few.summary[0].response.count = 999;
  CHECK_THAT(answer_to({few}), Contains(" 500ns 25.00us       -  50.00us"));
  few.summary[0].response.count = 1000;
  CHECK_THAT(answer_to({few}), Contains(" 500ns 25.00us 50.00us  50.00us"));
}

TEST_CASE("a ramp is named by both of its rates") {
  Result ramp = run("a", 1000, 500);
  ramp.scenario.name = "ramp";
  ramp.trials[0].load.shape = Shape::ramp;
  ramp.trials[0].load.end_rate_hz = 100'000;
  CHECK_THAT(answer_to({ramp}), Contains("  a                    1k-100k "));
}

TEST_CASE("processor times are compared where both are more than chance") {
  const auto with_cpu = [](const char* sink, double mean_ns, std::optional<double> half_width_ns) {
    Result result = run(sink, 5000, 500);
    RoleOverhead logging;
    logging.role = "logging";
    logging.cpu_ns_per_event = Estimate{mean_ns, half_width_ns};
    result.summary[0].overhead.push_back(logging);
    return result;
  };
  const std::string sentence = "journald uses 20 times as much processor time as file.";
  const Result journald = with_cpu("journald", 20'000, 500);
  CHECK_THAT(joined_text(answer_to({with_cpu("file", 1'000, 100), journald})), Contains(sentence));
  CHECK_THAT(joined_text(answer_to({with_cpu("file", 1'000, 1'100), journald})),
             !Contains("processor time"));
  CHECK_THAT(joined_text(answer_to({with_cpu("file", -300, 100), journald})),
             !Contains("processor time"));
  CHECK_THAT(joined_text(answer_to({with_cpu("file", 1'000, {}), journald})),
             !Contains("processor time"));
}

TEST_CASE("paths are ranked by the column that is asked for, those without a figure last") {
  std::vector<Result> results = {run("c", 5000, 3), run("a", 5000, 9), run("b", 5000, 1)};
  results[2].summary[0].response.max_ns = 9'000;
  results[0].summary[0].response = {};
  const auto order = [&](const std::string& sort) {
    std::string sinks;
    std::istringstream lines(answer_to(results, sort));
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("  a ") || line.starts_with("  b ") || line.starts_with("  c ")) {
        sinks += line[2];
      }
    }
    return sinks;
  };
  CHECK(order("p99") == "bac");
  CHECK(order("max") == "abc");
  CHECK(order("sink") == "abc");
}

TEST_CASE("the steps of one path are in the order of their rates, or of the column") {
  Result sweep = run("a", 1000, 900);
  sweep.scenario.name = "sweep";
  for (const double rate_hz : {1e4, 1e5}) {
    StepSummary step = sweep.summary[0];
    step.rate_hz = rate_hz;
    step.response = latency(static_cast<std::uint64_t>(rate_hz == 1e4 ? 100 : 500), 10'000);
    sweep.summary.push_back(step);
  }
  const auto rates = [&](const std::string& sort) {
    std::string words;
    std::istringstream lines(answer_to({sweep}, sort));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream cells(line);
      std::string sink;
      std::string rate;
      if (cells >> sink >> rate && sink == "a") words += rate + " ";
    }
    return words;
  };
  CHECK(rates("") == "1k 10k 100k ");
  CHECK(rates("rate") == "1k 10k 100k ");
  CHECK(rates("p50") == "10k 100k 1k ");
}

TEST_CASE("other loads have a line each, a sweep one for the rates that were held") {
  std::vector<Result> results = {run("a", 5000, 5), run("b", 5000, 6), run("a", 0, 7)};
  results[2].scenario.name = "max";
  results[2].summary[0].achieved_rate_hz = 2e6;
  Result sweep = run("a", 1000, 5);
  sweep.scenario.name = "sweep";
  for (const double rate_hz : {1e4, 1e5, 1e6}) {
    StepSummary step = sweep.summary[0];
    step.rate_hz = rate_hz;
    step.saturated = rate_hz > 1e5;
    sweep.summary.push_back(step);
  }
  results.push_back(sweep);
  const std::string text = joined_text(answer_to(results));
  CHECK_THAT(text, Contains("max, throughput: a 2M/s"));
  CHECK_THAT(text, Contains("sweep, highest rate held: a 100k/s"));
}

TEST_CASE("a rate that was missed by the machine's fault has a mark of its own") {
  std::vector<Result> results = {run("a", 5000, 5), run("b", 5000, 6)};
  for (Result& result : results) result.summary[0].saturated = true;
  results[0].summary[0].saturated_by_machine = true;
  results[1].summary[0].saturated_by_machine = false;
  const std::string text = answer_to(results);
  CHECK_THAT(text, Contains("\nm a ") && Contains("\nm missed the rate by the machine's fault"));
  CHECK_THAT(text, Contains("\n! b ") && Contains("\n! could not keep up with the rate"));
  CHECK_THAT(joined_text(text), Contains("1 of 2 missed it by the machine's fault"));
  results[0].trials[0].noise.lost_share = 0.4;
  CHECK_THAT(answer_to(results), Contains("\nm a "));
}

TEST_CASE("a busy machine excuses no path whose median call is too slow for the rate") {
  std::vector<Result> results = {run("a", 1e6, 900), run("b", 1e6, 1100)};
  for (Result& result : results) {
    result.summary[0].saturated = true;
    result.summary[0].service = result.summary[0].response;
    result.trials[0].load.rate_hz = result.trials[0].load.end_rate_hz = 1e6;
    result.trials[0].noise.lost_share = 0.4;
  }
  const std::string text = answer_to(results);
  CHECK_THAT(text, Contains("\n~ a ") && Contains("\n! b "));
}

TEST_CASE("a sweep's rate that was missed by the machine's fault leaves open what is held") {
  std::vector<Result> results = {run("a", 5000, 5), run("b", 5000, 6), run("a", 1000, 5)};
  Result& sweep = results[2];
  sweep.scenario.name = "sweep";
  for (const double rate_hz : {1e4, 1e5}) {
    StepSummary step = sweep.summary[0];
    step.rate_hz = rate_hz;
    step.saturated = rate_hz == 1e5;
    if (step.saturated) step.saturated_by_machine = true;
    sweep.summary.push_back(step);
  }
  const std::string text = answer_to(results);
  CHECK_THAT(joined_text(text), Contains("sweep, highest rate held: a 10k/s m"));
  CHECK_THAT(text, Contains("\nm missed the rate by the machine's fault"));
}

TEST_CASE("a mark on another load is in the legend, too") {
  std::vector<Result> results = {run("a", 5000, 5), run("b", 5000, 6), run("a", 6000, 7)};
  results[2].summary[0].saturated = true;
  CHECK_THAT(answer_to(results), Contains("\n! could not keep up with the rate"));
}

TEST_CASE("a busy machine is marked on every path and said in a sentence") {
  std::vector<Result> results = {run("a", 5000, 5), run("b", 5000, 6)};
  CHECK_THAT(joined_text(answer_to(results)),
             Contains("Machine: free for the load in all of 2 trials."));
  results[1].trials[0].noise.lost_share = 0.4;
  const std::string text = answer_to(results);
  CHECK_THAT(text, Contains("\n~ b "));
  CHECK_THAT(text, Contains("\n~ Machine: busy in 1 of 2 trials"));
  CHECK_THAT(joined_text(text), Contains("up to 40 %") && Contains("No path is named the best"));
}

TEST_CASE("one busy trial counts as much as it is of the path's events") {
  std::vector<Result> results = {run("a", 5000, 5), run("b", 5000, 6)};
  results[0].trials.resize(3, results[0].trials[0]);
  results[0].trials[2].noise.lost_share = 0.018;
  CHECK_THAT(answer_to(results), Contains("Best by the median at 5k events/s: a."));
  results[0].trials[2].noise.lost_share = 0.012;
  CHECK_THAT(answer_to(results), Contains("Best here at 5k events/s: a."));
}

TEST_CASE("of different machines no path is named the best") {
  std::vector<Result> results = {run("a", 5000, 5), run("b", 5000, 6)};
  results[1].machine.fingerprint = "other";
  CHECK_THAT(joined_text(answer_to(results)),
             Contains("No path is named the best: the runs are of 2 different machines."));
}

TEST_CASE("the answer alone is a sentence also where one path was measured") {
  const auto answer = [](const std::vector<Result>& results) {
    Results named;
    for (const Result& result : results) named.push_back({"a file", result});
    return joined_text(render(named, "answer"));
  };
  Result one = run("a", 5000, 5);
  CHECK(answer({one}) ==
        "a at 5k events/s: half of its calls returned within 5ns, 99 % within 250ns of the time "
        "they were due; 0 of 1000 events were lost. Machine: free for the load. ");
  one.summary[0].saturated = true;
  one.trials[0].ledger.lost = 1;
  one.label = "Wine";
  CHECK_THAT(answer({one}), Contains("a at 5k events/s, which was not reached:") &&
                                Contains("1 of 1000 events was lost.") &&
                                Contains("Restricted use: Wine."));
  one.summary[0].rate_hz = 0;
  one.summary[0].achieved_rate_hz = 2e6;
  CHECK_THAT(answer({one}), Contains("a took 2M events/s: half"));
  CHECK_THAT(answer({run("a", 5000, 5), run("b", 5000, 6)}),
             Contains("Best here at 5k events/s: a."));
}

TEST_CASE("paths are ranked by the median where the machine's gaps decide the tails") {
  std::vector<Result> results = {run("a", 5000, 5), run("b", 5000, 6)};
  results[0].summary[0].response.p50_ns = 70;
  results[1].summary[0].response.p50_ns = 60;
  results[1].sink.survives = Survives::nothing;
  results[0].sink.survives = Survives::kill;
  const auto share = [&](double of_a, double of_b) {
    results[0].trials[0].noise.lost_share = of_a;
    results[1].trials[0].noise.lost_share = of_b;
    return answer_to(results);
  };
  CHECK_THAT(share(0.004, 0.004), Contains("Best here at 5k events/s: a."));
  CHECK_THAT(share(0.004, 0.006), Contains("Best by the median at 5k events/s: b."));
  const std::string some = share(0.03, 0.04);
  CHECK_THAT(
      joined_text(some),
      Contains("Best by the median at 5k events/s: b. Half of its calls "
               "returned within 60ns") &&
          Contains("Surviving the program's death: a, half within 70ns") &&
          Contains("Machine: used by others for up to 4 % of the time: do not trust tails."));
  CHECK(some.find("\n  b ") < some.find("\n  a "));
  const std::string busy = share(0.06, 0.07);
  CHECK_THAT(joined_text(busy), Contains("Best by the median at 5k events/s: b.") &&
                                    Contains("busy in 2 of 2 trials"));
  CHECK(busy.find("\n~ b ") < busy.find("\n~ a "));
  CHECK_THAT(share(0.21, 0.22), Contains("No path is named the best"));
}

TEST_CASE(
    "a busy machine was busy with the programs of the busy trials, as far as they are known") {
  std::vector<Result> results = {run("a", 5000, 5), run("b", 5000, 6), run("c", 5000, 7)};
  const auto add = [](Result& result, double lost_share, std::vector<NeighbourUse> processes) {
    Trial& trial = result.trials[0];
    trial.noise.lost_share = lost_share;
    trial.neighbours.emplace();
    trial.neighbours->observed_ns = 1'000'000'000;
    trial.neighbours->processes = std::move(processes);
  };
  add(results[0], 0.4, {{"cc1plus", 0.9}, {"sshd", 0.001}});
  add(results[1], 0.3, {{"dpkg", 0.5}, {"cc1plus", 0.2}});
  add(results[2], 0.01, {{"firefox", 3}});
  CHECK_THAT(joined_text(answer_to(results)),
             Contains("Machine: busy in 2 of 3 trials, by cc1plus and dpkg (for up to"));
  results[0].trials[0].neighbours.reset();
  results[1].trials[0].neighbours->processes.clear();
  CHECK_THAT(joined_text(answer_to(results)),
             Contains("Machine: busy in 2 of 3 trials (for up to"));
  results[1].trials[0].neighbours->stolen_ns = 300'000'000;
  CHECK_THAT(joined_text(answer_to(results)), Contains("trials, by the hypervisor (for up to"));
}

TEST_CASE("the quick suite's answer fits a terminal of 80 columns and 24 lines") {
  std::vector<Result> results;
  for (const char* sink :
       {"null", "file", "file:mode=mmap", "file:mode=io_uring", "spdlog", "spdlog:mode=async_block",
        "lttng", "lttng:output=live", "ftrace", "ftrace:mode=text", "user_events"}) {
    results.push_back(run(sink, 10'000, 100 + results.size()));
  }
  for (const char* sink : {"journald", "syslog"}) results.push_back(run(sink, 1'000, 500));
  for (const char* sink : {"file", "spdlog:mode=async_block"}) {
    results.push_back(run(sink, 10'000, 500));
    results.back().scenario.name = "burst";
  }
  for (const char* sink : {"file", "spdlog"}) {
    Result sweep = run(sink, 1'000, 500);
    sweep.scenario.name = "sweep";
    for (const double rate_hz : {1e4, 1e5, 1e6}) {
      StepSummary step = sweep.summary[0];
      step.rate_hz = rate_hz;
      step.saturated = rate_hz == 1e6;
      sweep.summary.push_back(step);
    }
    results.push_back(sweep);
  }
  for (const char* sink : {"null", "file", "spdlog"}) {
    results.push_back(run(sink, 0, 500));
    results.back().scenario.name = "max";
  }
  const auto fits = [](const std::string& text) {
    INFO(text);
    CHECK(std::count(text.begin(), text.end(), '\n') < 24);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) CHECK(columns_of(line) <= kColumns);
  };
  SECTION("quiet") {
    for (Result& result : results) {
      const bool asynchronous = result.sink.label == "spdlog:mode=async_block";
      RoleOverhead logging;
      logging.role = "logging";
      logging.cpu_ns_per_event = Estimate{asynchronous ? 28'000.0 : 1'000.0, 10};
      result.summary[0].overhead.push_back(logging);
      result.sink.survives = Survives::nothing;
    }
    results[5].sink.survives = Survives::kill;
    results[8].sink.survives = Survives::crash;
    const std::string text = answer_to(results);
    CHECK_THAT(joined_text(text),
               Contains("28 times") && Contains("Surviving a crash of the system"));
    fits(text);
  }
  SECTION("busy") {
    for (Result& result : results) {
      result.trials[0].noise.lost_share = 0.4;
      result.trials[0].neighbours.emplace();
      result.trials[0].neighbours->observed_ns = 1'000'000'000;
      result.trials[0].neighbours->processes = {{"cc1plus", 0.9}, {"dpkg", 0.5}};
    }
    fits(answer_to(results));
  }
  SECTION("fairly quiet") {
    for (Result& result : results) {
      result.trials[0].noise.lost_share = 0.06;
      result.sink.survives = Survives::nothing;
    }
    results[5].sink.survives = Survives::crash;
    const std::string text = answer_to(results);
    CHECK_THAT(joined_text(text), Contains("Best by the median") && Contains("Surviving a crash"));
    fits(text);
  }
}

TEST_CASE("only runs at one rate are compared") {
  CHECK_THAT(answer_to({run("file", 5000, 500)}), !Contains("Best"));
  CHECK_THAT(answer_to({run("file", 5000, 500), run("spdlog", 6000, 500)}), !Contains("Best"));
  const std::string answer =
      joined_text(answer_to({run("a", 10, 5), run("b", 5000, 20), run("c", 5000, 30)}));
  CHECK_THAT(answer, Contains("at 5k events/s: b."));
}

TEST_CASE("what restricts the use of a result is on the first screen") {
  std::vector<Result> results = {run("a", 5000, 5), run("b", 5000, 6)};
  results[0].label = "Wine: smoke, not Windows";
  results[1].complete = false;
  const std::string text = answer_to(results);
  CHECK_THAT(text, Contains("! restricted use: Wine: smoke, not Windows"));
  CHECK_THAT(text, Contains("! 1 of 2 runs ended before its last trial"));
  results[1].summary.clear();
  results[1].trials.clear();
  CHECK_THAT(answer_to({results[1]}), Contains("No trial was run.") && Contains("ended before"));
}

TEST_CASE("the table fits 80 columns and shows what went wrong") {
  std::vector<Result> results = {run(std::string(60, 'x'), 1e300, 900'000'000'000'000),
                                 run("fast", 5000, 10), run("none", 5000, 10)};
  results[1].summary[0].saturated = true;
  results[1].trials[0].ledger.unaccounted = 3;
  results[2].summary[0].trials = 0;
  const std::string text = answer_to(results);
  CHECK_THAT(text, Contains("? fast ") && Contains("invalid") && Contains("no trial completed"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK(columns_of(line) <= kColumns);
}

TEST_CASE("a scenario's answer is printed in place of the rows of its steps") {
  std::vector<Result> results = {run("file", 5000, 500), run("spdlog", 5000, 200)};
  results[0].answer = Answer{.question = "crash",
                             .sentence = "At 5k events/s `file` loses nothing.",
                             .holds = {},
                             .figures = {},
                             .cannot = {"kill daemon: the sink has no process of its own"}};
  const std::string both = joined_text(answer_to(results));
  CHECK_THAT(both, Contains("At 5k events/s `file` loses nothing."));
  CHECK_THAT(both, Contains("`file` cannot: kill daemon: the sink has no process of its own"));
  CHECK_THAT(both, !Contains("file 5k") && Contains("spdlog 5k"));
  const std::string alone = joined_text(answer_to({results[0]}));
  CHECK_THAT(alone, Contains("loses nothing.") && !Contains("No trial was run"));
  CHECK_THAT(alone, !Contains("p99.9"));
}

}  // namespace
}  // namespace tailgate
