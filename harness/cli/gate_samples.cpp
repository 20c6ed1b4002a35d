#include "harness/cli/gate_samples.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "harness/cli/commands.h"
#include "harness/gate/sample_gate.h"
#include "harness/samples/format.h"

namespace tailgate {
namespace {

// One file, or the first of several and how many more there are.
std::string side_name(const std::vector<std::filesystem::path>& files) {
  const std::string first = files.front().string();
  if (files.size() == 1) return first;
  return fmt::format("{} (+{})", first, files.size() - 1);
}

}  // namespace

void add_sample_options(Command& command, SampleGateRequest& request) {
  command.add_option("--from", request.from, "Judge files of another benchmark")
      ->type_name("FORMAT");
  command.add_option("--a", request.a, "With --from: side A, of several files")->type_name("FILES");
  command.add_option("--b", request.b, "Likewise side B")->type_name("FILES");
  command.add_option("--margin", request.margin,
                     "Of these and of commands: what is tolerated [5%]");
  command.add_option("--metric", request.metrics, "Likewise: judge this metric only")
      ->one_value_each_time();
}

double parse_margin(const std::string& text) {
  if (text.empty()) return kSampleMargin;
  constexpr double kMost = 10;
  std::string_view number = text;
  const bool percent = number.ends_with('%');
  if (percent) number.remove_suffix(1);
  double margin = 0;
  const char* end = number.data() + number.size();
  const auto [at, failed] = std::from_chars(number.data(), end, margin);
  if (percent) margin /= 100;
  if (failed != std::errc() || at != end || !(margin > 0 && margin <= kMost)) {
    throw UsageError(Error(fmt::format("--margin '{}' is no share above 0", text),
                           "write, for example, --margin 5% or --margin 0.05"));
  }
  return margin;
}

Verdict judge_sample_files(const SampleGateRequest& request,
                           const std::vector<std::filesystem::path>& paths, const Policy& policy) {
  return as_usage([&] {
    const SampleFormat& format = find_sample_format(request.from);
    std::vector<std::filesystem::path> a = request.a;
    std::vector<std::filesystem::path> b = request.b;
    if (a.empty() && b.empty() && paths.size() == 2) {
      a = {paths[0]};
      b = {paths[1]};
    } else if (a.empty() || b.empty() || !paths.empty()) {
      throw Error("--from needs the files of two sides",
                  "give two files, A's and B's, or --a FILES --b FILES");
    }
    SampleComparison comparison;
    comparison.format = format.name;
    comparison.more = format.more;
    comparison.a_name = side_name(a);
    comparison.b_name = side_name(b);
    comparison.a = load_samples(format, a);
    comparison.b = load_samples(format, b);
    comparison.margin = parse_margin(request.margin);
    comparison.metrics = request.metrics;
    return judge_samples(comparison, policy);
  });
}

}  // namespace tailgate
