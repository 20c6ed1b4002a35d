#include "harness/cli/history_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/base/enum_text.h"
#include "harness/base/quoting.h"
#include "harness/cli/history_arguments.h"
#include "harness/cli/terminal.h"
#include "harness/history/history.h"
#include "harness/history/parts.h"
#include "harness/history/spread.h"
#include "harness/report/human.h"

namespace tailgate {
namespace {

using history::Course;
using history::FindingMember;
using history::FindingState;
using history::History;

struct FindingsArguments {
  std::string place;
  history::Filter filter;
  bool all = false;
  bool json = false;
};

struct AcknowledgeArguments {
  std::string place;
  std::uint64_t id = 0;
  std::string reason;
};

// A logarithm of a ratio as a percentage.
double percent_of(double level) {
  return 100 * std::expm1(level);
}

std::string title_of(const history::Finding& finding) {
  std::string title = fmt::format("{}: {}", finding.id, enum_text(finding.course));
  if (finding.is_creep) title += ", creeping";
  title += fmt::format(", {}", enum_text(finding.state));
  if (finding.state == FindingState::fixed) title += " " + finding.fixed_night;
  return title + fmt::format(", since {} (found {})", finding.first_after, finding.found_night);
}

// The whole hash is in the JSON.
std::string short_revision(const std::string& revision) {
  constexpr std::size_t kDigits = 16;
  return revision.empty() ? "?" : std::string(first_columns(revision, kDigits));
}

std::string where_of(const history::Finding& finding) {
  if (finding.has_commits()) {
    return fmt::format("near {}..{}", short_revision(finding.revision_before),
                       short_revision(finding.revision_after));
  }
  return fmt::format("no commit between {} and {}: both nights have {}", finding.last_before,
                     finding.first_after, short_revision(finding.revision_before));
}

std::string member_line(const FindingMember& member) {
  // Of a part, the percentages are of the whole.
  const auto part = history::part_of_metric(member.series.metric);
  std::string line =
      fmt::format("    {:<22} {:>+8.{}f} %  from {:+.{}f} % to {:+.{}f} %", member.series.metric,
                  percent_of(member.change()), part ? 2 : 1, percent_of(member.level_before),
                  part ? 2 : 1, percent_of(member.level_after), part ? 2 : 1);
  if (part) line += fmt::format(" of {}", part->measure);
  if (!member.fixed_night.empty()) line += ", back " + member.fixed_night;
  return std::string(first_columns(line, kColumns)) + "\n";
}

std::string sink_text(const history::Series& series) {
  const std::string& scenario = series.preset.empty() ? series.scenario : series.preset;
  return fmt::format("{}, {}, {}", series.sink, scenario, series.load);
}

std::string finding_text(const history::Finding& finding) {
  std::string text = title_of(finding) + "\n" + paragraph(where_of(finding));
  std::map<std::string, std::string> sinks;
  for (const FindingMember& member : finding.members) {
    sinks[sink_text(member.series)] += member_line(member);
  }
  for (const auto& [sink, lines] : sinks) text += paragraph(sink) + lines;
  if (const std::string spread = history::spread_text(finding.spread); !spread.empty()) {
    text += paragraph("machines: " + spread);
  }
  for (const history::MachineEvent& event : finding.events) {
    for (const std::string& change : event.changes) {
      text += paragraph(
          fmt::format("machine {} in these nights: {}: {}", event.machine, event.night, change));
    }
  }
  if (!finding.reason.empty()) text += paragraph("acknowledged: " + finding.reason);
  return text;
}

// Whether the finding waits for a decision: it is open, and no improvement.
bool is_pending(const history::Finding& finding) {
  return finding.state == FindingState::open && finding.course != Course::better;
}

nlohmann::json to_json(const FindingMember& member) {
  return {{"scenario", member.series.scenario},
          {"preset", member.series.preset},
          {"sink", member.series.sink},
          {"load", member.series.load},
          {"metric", member.series.metric},
          {"found_night", member.found_night},
          {"last_before", member.last_before},
          {"first_after", member.first_after},
          {"ratio_before", std::exp(member.level_before)},
          {"ratio_after", std::exp(member.level_after)},
          {"change_percent", percent_of(member.change())},
          {"statistic", member.statistic},
          {"fixed_night", member.fixed_night}};
}

nlohmann::json to_json(const history::Finding& finding) {
  nlohmann::json json = {{"id", finding.id},
                         {"course", enum_text(finding.course)},
                         {"state", enum_text(finding.state)},
                         {"is_creep", finding.is_creep},
                         {"fingerprint", finding.fingerprint},
                         {"reference", finding.reference},
                         {"found_night", finding.found_night},
                         {"last_before", finding.last_before},
                         {"first_after", finding.first_after},
                         {"revision_before", finding.revision_before},
                         {"revision_after", finding.revision_after},
                         {"reason", finding.reason},
                         {"fixed_night", finding.fixed_night},
                         {"series", nlohmann::json::array()},
                         {"machines", nlohmann::json::array()},
                         {"machines_text", history::spread_text(finding.spread)},
                         {"events", nlohmann::json::array()}};
  for (const FindingMember& member : finding.members) json["series"].push_back(to_json(member));
  for (const history::GroupShare& share : finding.spread) {
    json["machines"].push_back(
        {{"fingerprint", share.fingerprint}, {"with", share.with}, {"without", share.without}});
  }
  for (const history::MachineEvent& event : finding.events) {
    json["events"].push_back(
        {{"night", event.night}, {"machine", event.machine}, {"changes", event.changes}});
  }
  return json;
}

int show_findings(const FindingsArguments& arguments) {
  check_night("--since", arguments.filter.since);
  check_night("--until", arguments.filter.until);
  History history = History::open(arguments.place, history::Access::read);
  std::vector<history::Finding> shown = history::findings(history, arguments.filter);
  const std::size_t count = shown.size();
  if (!arguments.all) {
    std::erase_if(shown, [](const history::Finding& finding) { return !is_pending(finding); });
  }
  if (arguments.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const history::Finding& finding : shown) list.push_back(to_json(finding));
    say_json(list);
    return kExitDone;
  }
  std::cout << (shown.empty() ? "no open findings\n" : history_findings_text(shown));
  if (shown.size() < count) {
    std::cout << fmt::format("{} more are acknowledged, fixed or better: --all\n",
                             count - shown.size());
  }
  return kExitDone;
}

void add_findings(Command* history, Action& action) {
  const auto arguments = std::make_shared<FindingsArguments>();
  Command* command = history->add_subcommand("findings", "Show which levels changed, and where");
  add_history_place(command, arguments->place);
  command->add_flag("--all", arguments->all, "Also what is acknowledged, fixed or better");
  command->add_flag("--json", arguments->json, "For programs, with whole revisions");
  command->add_option("--since", arguments->filter.since, "Found from this night on")
      ->type_name("DATE");
  command->add_option("--until", arguments->filter.until, "Found to this night, included")
      ->type_name("DATE");
  command->add_option("--machine", arguments->filter.machine, "The fingerprint of a group")
      ->type_name("NAME");
  command->footer(
      "'tailgate history import' charts each night's duets with one reference, and\n"
      "finds when a level changed. What changed in the same nights is one finding.\n"
      "Percentages are against the reference. A shift is a cost that moved between\n"
      "provider and daemons. An open finding whose series all come back is fixed.\n"
      "\n"
      "Examples:\n"
      "  tailgate history findings\n"
      "  tailgate history findings --all --since 2026-11-01 --json");
  command->callback(
      [arguments, &action] { action = [arguments] { return show_findings(*arguments); }; });
}

void add_acknowledge(Command* history, Action& action) {
  const auto arguments = std::make_shared<AcknowledgeArguments>();
  Command* command = history->add_subcommand("acknowledge", "Say why a finding may stay");
  command->add_option("id", arguments->id, "Its number, as 'findings' shows it")
      ->required()
      ->type_name("ID");
  command->add_option("--reason", arguments->reason, "Why; it is shown with the finding")
      ->required()
      ->type_name("TEXT");
  add_history_place(command, arguments->place);
  command->footer(
      "Examples:\n"
      "  tailgate history acknowledge 3 --reason 'events carry a checksum now'");
  command->callback([arguments, &action] {
    action = [arguments] {
      constexpr std::size_t kMostBytes = 500;
      if (arguments->reason.empty() || arguments->reason.size() > kMostBytes) {
        throw UsageError(Error(fmt::format("--reason has {} bytes", arguments->reason.size()),
                               fmt::format("give 1 to {}", kMostBytes)));
      }
      if (arguments->id > INT64_MAX) {
        throw UsageError(Error(fmt::format("there is no finding {}", arguments->id),
                               "'tailgate history findings --all' shows which there are"));
      }
      History::open(arguments->place, history::Access::read);  // is there one?
      History history = History::open(arguments->place, history::Access::write);
      history::acknowledge(history, static_cast<std::int64_t>(arguments->id),
                           printable(arguments->reason));
      say("finding {} is acknowledged\n", arguments->id);
      return kExitDone;
    };
  });
}

}  // namespace

std::string history_findings_text(const std::vector<history::Finding>& findings) {
  std::string text;
  for (const history::Finding& finding : findings)
    text += (text.empty() ? "" : "\n") + finding_text(finding);
  return text;
}

void add_history_findings(Command* history, Action& action) {
  add_findings(history, action);
  add_acknowledge(history, action);
}

}  // namespace tailgate
