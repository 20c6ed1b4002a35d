#include "scenarios/writers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/base/error.h"

namespace tailgate {
namespace {

std::vector<unsigned> counts(const Options& options, const std::string& name, double most) {
  std::vector<unsigned> all;
  for (const double count : parse_rates(options.text(name), name)) {
    if (count != std::floor(count) || count < 1 || count > most) {
      throw Error(fmt::format("{} has {}", name, count),
                  fmt::format("give whole numbers from 1 to {}", most));
    }
    all.push_back(static_cast<unsigned>(count));
  }
  return all;
}

void make_list(OptionTable& table, const std::string& name, const std::string& by_default,
               const std::string& help) {
  const auto spec = std::find_if(table.begin(), table.end(),
                                 [&](const OptionSpec& option) { return option.name == name; });
  *spec = OptionSpec{name, OptionType::text, by_default, help};
}

}  // namespace

OptionTable with_writer_lists(OptionTable table, const std::string& threads,
                              const std::string& processes) {
  make_list(table, "threads", threads, "load threads of one process, one number after another");
  make_list(table, "processes", processes, "processes of one thread, one number after another");
  return table;
}

std::vector<Writers> writers_from(const Options& options) {
  std::vector<Writers> all;
  for (const unsigned threads : counts(options, "threads", kMaxThreads)) {
    all.push_back({.threads = threads, .processes = 1});
  }
  for (const unsigned processes : counts(options, "processes", kMaxProcesses)) {
    if (processes > 1) all.push_back({.threads = 1, .processes = processes});
  }
  return all;
}

Writers writers_of(const LoadPlan& load) {
  return {.threads = threads_each(load), .processes = load.processes};
}

Writers writers_of(const Load& load) {
  const unsigned processes = load.processes.value_or(1);
  return {.threads = load.threads / processes, .processes = processes};
}

void set_writers(const Writers& writers, LoadPlan& load) {
  load.threads = writers.all();
  load.processes = writers.processes;
}

std::string words_of(const Writers& writers) {
  if (writers.processes > 1) return fmt::format("{} processes", writers.processes);
  return writers.threads == 1 ? "one thread" : fmt::format("{} threads", writers.threads);
}

std::string key_of(const Writers& writers) {
  if (writers.processes > 1) return fmt::format("processes_{}", writers.processes);
  return fmt::format("threads_{}", writers.threads);
}

std::vector<std::string> not_taken(const std::vector<Writers>& wanted, const SinkUsed& sink) {
  std::vector<std::string> words;
  const auto any = [&](auto is_several) {
    return std::any_of(wanted.begin(), wanted.end(), is_several);
  };
  if (!sink.multi_threaded.value_or(true) && any([](const Writers& w) { return w.threads > 1; })) {
    words.push_back("take events from several threads");
  }
  if (!sink.multi_process.value_or(true) && any([](const Writers& w) { return w.processes > 1; })) {
    words.push_back("take events from several processes");
  }
  return words;
}

}  // namespace tailgate
