#include "harness/gate/pin_chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "harness/base/error.h"
#include "harness/base/toml_reader.h"

namespace tailgate {
namespace {

constexpr const char* kHeader =
    "# What every move of the nights' reference changed, as 'tailgate gate OLD NEW --nightly "
    "--repin'\n"
    "# measured it. A change counts against the margins of all nights after it, until it is\n"
    "# accepted = \"with a reason\". ci/GATE.md explains it.\n";
constexpr const char* kRemedy = "correct it, or measure the move again with --repin";
constexpr double kMostTimes = 1e6;

std::string nonempty(const TomlNode& in, std::string_view key, std::string_view meaning) {
  const TomlNode& node = in.required(key, meaning);
  std::string text = node.text(key);
  if (text.empty()) node.fail(fmt::format("{} is empty", key), kRemedy);
  return text;
}

std::string text_or_empty(const TomlNode& in, std::string_view key) {
  const TomlNode* node = in.find(key);
  return node != nullptr ? node->text(key) : "";
}

PinRatio read_ratio(const TomlNode& in) {
  in.check_keys({"name", "ratio", "accepted"});
  PinRatio ratio;
  ratio.metric = nonempty(in, "name", "the metric");
  const TomlNode& node = in.required("ratio", "[ratio, low, high]: measured, and its interval");
  if (!node.is_list() || node.entries().size() != 3) {
    node.fail("ratio is not a list of three numbers", "write [ratio, low, high]");
  }
  const auto number = [&](std::size_t i) {
    return node.entries()[i].number("ratio", 1 / kMostTimes, kMostTimes);
  };
  ratio.ratio = number(0);
  ratio.low = number(1);
  ratio.high = number(2);
  if (ratio.low > ratio.ratio || ratio.ratio > ratio.high) {
    node.fail("the ratio does not lie in its interval", "write [ratio, low, high]");
  }
  ratio.accepted = text_or_empty(in, "accepted");
  return ratio;
}

PinLink read_link(const TomlNode& in) {
  in.check_keys({"from", "to", "date", "machine", "scenario", "sink", "set", "rounds", "metric"});
  PinLink link;
  link.from = nonempty(in, "from", "the reference before");
  link.to = nonempty(in, "to", "the reference after");
  const TomlNode& date = in.required("date", "when it was measured");
  link.date = date.date().value_or("");
  if (link.date.empty()) date.fail("date is not a date", "write date = 2027-01-31");
  link.duet = {.machine = nonempty(in, "machine", "its fingerprint"),
               .scenario = nonempty(in, "scenario", "the scenario or the benchmark"),
               .sink = text_or_empty(in, "sink"),
               .set = text_or_empty(in, "set")};
  constexpr double kMostRounds = 100'000;
  link.rounds =
      static_cast<std::size_t>(in.required("rounds", "how many").number("rounds", 1, kMostRounds));
  for (const TomlNode* metric : in.tables_at("metric")) {
    link.ratios.push_back(read_ratio(*metric));
  }
  return link;
}

std::string quoted(const std::string& text) {
  return '"' + toml_text(text) + '"';
}

std::string link_text(const PinLink& link) {
  std::string text =
      fmt::format("\n[[link]]\nfrom = {}\nto = {}\ndate = {}\nmachine = {}\n", quoted(link.from),
                  quoted(link.to), link.date, quoted(link.duet.machine));
  text += fmt::format("scenario = {}\n", quoted(link.duet.scenario));
  if (!link.duet.sink.empty()) text += fmt::format("sink = {}\n", quoted(link.duet.sink));
  if (!link.duet.set.empty()) text += fmt::format("set = {}\n", quoted(link.duet.set));
  text += fmt::format("rounds = {}\n", link.rounds);
  for (const PinRatio& ratio : link.ratios) {
    text += fmt::format("[[link.metric]]\nname = {}\nratio = [{}, {}, {}]\n", quoted(ratio.metric),
                        ratio.ratio, ratio.low, ratio.high);
    if (!ratio.accepted.empty()) text += fmt::format("accepted = {}\n", quoted(ratio.accepted));
  }
  return text;
}

// The one reference before each.
std::map<std::string, std::string> predecessors(const std::vector<PinLink>& links) {
  std::map<std::string, std::string> before;
  for (const PinLink& link : links) {
    const auto [at, added] = before.try_emplace(link.to, link.from);
    if (at->second == link.from) continue;
    throw Error(
        fmt::format("two references are before {}: {} and {}", link.to, at->second, link.from),
        "keep the links of the one that the nights used");
  }
  for (const auto& [to, from] : before) {
    std::set<std::string> seen = {to};
    for (auto at = before.find(to); at != before.end(); at = before.find(at->second)) {
      if (seen.insert(at->second).second) continue;
      throw Error(fmt::format("the reference {} is before itself", at->second), kRemedy);
    }
  }
  return before;
}

void add_ratio(const PinRatio& ratio, std::vector<SpentMargin>& spent) {
  const auto found = std::find_if(spent.begin(), spent.end(), [&](const SpentMargin& metric) {
    return metric.metric == ratio.metric;
  });
  SpentMargin& metric = found != spent.end() ? *found : spent.emplace_back();
  metric.metric = ratio.metric;
  ++metric.moves;
  if (!ratio.accepted.empty()) return;
  constexpr double kStandardErrors = 2 * 1.96;  // in a 95 % interval
  metric.log_ratio += std::log(ratio.ratio);
  metric.log_error =
      std::hypot(metric.log_error, (std::log(ratio.high) - std::log(ratio.low)) / kStandardErrors);
}

std::string short_hash(const std::string& hash) {
  constexpr std::size_t kDigits = 10;
  return hash.substr(0, kDigits);
}

}  // namespace

PinChain::PinChain(std::vector<PinLink> links) : links_(std::move(links)) {
  predecessors(links_);
}

void PinChain::add(PinLink link) {
  std::vector<PinLink> links = links_;
  std::erase_if(links, [&](const PinLink& old) {
    return old.from == link.from && old.to == link.to && old.duet == link.duet;
  });
  links.push_back(std::move(link));
  predecessors(links);
  links_ = std::move(links);
}

PinHistory PinChain::history(const std::string& pin, const PinDuet& duet) const {
  PinHistory history;
  const std::map<std::string, std::string> before = predecessors(links_);
  std::size_t moves = 0;
  for (auto at = before.find(pin); at != before.end(); at = before.find(at->second)) {
    const auto& [to, from] = *at;
    ++moves;
    history.first = short_hash(from);
    const PinLink* measured = nullptr;
    for (const PinLink& link : links_) {
      if (link.to != to) continue;
      history.moved = link.date;
      if (link.duet == duet) measured = &link;
    }
    if (measured == nullptr) {
      history.gaps.push_back(
          fmt::format("what the move from {} to {} changed was not measured by this duet on this "
                      "machine, {}",
                      short_hash(from), short_hash(to), duet.machine));
      continue;
    }
    for (const PinRatio& ratio : measured->ratios) add_ratio(ratio, history.spent);
  }
  for (const SpentMargin& metric : history.spent) {
    if (metric.moves == moves - history.gaps.size()) continue;
    history.gaps.push_back(
        fmt::format("{} was measured by {} of {} moves", metric.metric, metric.moves, moves));
  }
  return history;
}

std::vector<PinRatio> ratios_of(const Verdict& verdict) {
  std::vector<PinRatio> ratios;
  for (const MetricJudgement& metric : verdict.metrics) {
    if (!metric.is_gated() || metric.effect_kind != EffectKind::ratio) continue;
    if (!metric.effect_low || !metric.effect_high) continue;
    const bool covered = !metric.waiver.empty() && metric.effect <= metric.margin;
    ratios.push_back({metric.name, 1 + metric.effect, 1 + *metric.effect_low,
                      1 + *metric.effect_high, covered ? metric.waiver : ""});
  }
  return ratios;
}

PinChain parse_pin_chain(std::string_view text, const std::string& origin) {
  const TomlNode root = parse_toml(text, origin);
  root.check_keys({"link"});
  std::vector<PinLink> links;
  for (const TomlNode* link : root.tables_at("link")) links.push_back(read_link(*link));
  try {
    return PinChain(std::move(links));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", origin, error.what_failed()), error.remedy());
  }
}

PinChain load_pin_chain(const std::filesystem::path& file) {
  std::error_code failed;
  if (!std::filesystem::exists(file, failed)) return {};
  return parse_pin_chain(read_toml_file(file, "chain of references", kRemedy), file.string());
}

std::string pin_chain_text(const PinChain& chain) {
  std::string text = kHeader;
  for (const PinLink& link : chain.links()) text += link_text(link);
  return text;
}

}  // namespace tailgate
