#include "harness/cli/gate_revisions.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <ctime>
#include <functional>
#include <iostream>
#include <random>
#include <set>

#include "harness/base/file_text.h"
#include "harness/cli/commands.h"
#include "harness/cli/duet.h"
#include "harness/cli/gate_bisect.h"
#include "harness/cli/gate_samples.h"
#include "harness/cli/gate_verdicts.h"
#include "harness/cli/planned_duets.h"
#include "harness/cli/sink_availability.h"
#include "harness/cli/terminal.h"
#include "harness/gate/command_gate.h"
#include "harness/gate/gate.h"
#include "harness/gate/pin_chain.h"
#include "harness/os/atomic_file.h"
#include "harness/os/machine.h"
#include "harness/os/process.h"
#include "harness/project/builds.h"
#include "harness/report/exporter.h"
#include "harness/report/human.h"
#include "harness/result/files.h"

namespace tailgate {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::time_t kSecondsADay = 86'400;
// What traced rounds take besides their own time: the trace is set up, and its records are read.
constexpr double kTraceStart_s = 10;
constexpr double kShortest_s = 60;  // of a night's duet, which goes on later

// One revision: what git calls it, and where its build is.
struct Side {
  std::string commit;
  fs::path root;  // the project's root in the checkout
  SideLayouts layouts = {};

  std::string label() const { return commit.substr(0, 10); }
};

// The layouts of a build, as duets take them.
SideLayouts layouts_in(const Builds& builds, const std::string& commit, unsigned count) {
  SideLayouts layouts{count, {}};
  for (const LinkedFile& linked : builds.linked_files(commit)) {
    layouts.files.push_back({linked.file, linked.layouts, kAsBuilt});
  }
  return layouts;
}

// A duet that an earlier gate of the same folder measured.
struct EarlierDuet {
  bool can_go_on = false;  // more rounds can change its verdict
  std::uint64_t seed = 0;
  std::size_t rounds = 0;
};

// What a gate came to.
struct GateOutcome {
  int code = kExitDone;
  std::set<std::string> failed = {};  // the file names of the duets that failed
};

// A gate of two revisions, step by step.
class RevisionGate {
 public:
  RevisionGate(const Catalog& catalog, const RevisionGateRequest& request)
      : catalog_(catalog), request_(request) {
    as_usage([&] { read_project(); });
    workspace_.emplace(project_.root());
    as_usage([&] {
      repository_.emplace(project_.root(), workspace_->path() / "git.log");
      a_.commit = repository_->commit_of(request_.base);
      b_.commit = repository_->commit_of(request_.head);
    });
    out_ = request_.out.empty() ? workspace_->path() / fmt::format("gate-{:%Y-%m-%d-%H%M%S}",
                                                                   fmt::gmtime(std::time(nullptr)))
                                : fs::absolute(request_.out);
    as_usage([&] { claim_out(); });
  }

  GateOutcome run() {
    if (repository_->has_changes()) {
      tell("there are uncommitted changes here; neither revision contains them\n");
    }
    if (!build_both()) return {kExitInterrupted};
    find_waived();
    settle_missing_sinks();
    if (request_.minutes) order_by_time();
    for (std::size_t i = 0; i < planned_.size(); ++i) {
      if (run_duet(i) == kExitInterrupted) return {kExitInterrupted};
    }
    if (request_.nightly && request_.only.empty() && trace_duets() == kExitInterrupted) {
      return {kExitInterrupted};
    }
    return {judge_all(), failed_};
  }

  fs::path root() const { return project_.root(); }
  const fs::path& out() const { return out_; }
  const std::string& base() const { return a_.commit; }
  const std::string& head() const { return b_.commit; }

 private:
  void read_project() {
    const auto file = find_project_file(fs::current_path());
    if (!file) {
      throw Error(
          fmt::format("'{}' and '{}' are no files, and there is no {} for revisions, here or "
                      "in a folder above",
                      request_.base, request_.head, kProjectFileName),
          "name what 'tailgate duet' wrote, or let 'tailgate init' write that file");
    }
    project_ = load_project(*file);
    policy_file_ = request_.policy.empty() ? project_.policy : fs::absolute(request_.policy);
    policy_ = policy_at(policy_file_, false, request_.nightly);
    policy_.looks.clusters = project_.layouts;
    read_chain();
    planned_ = plan_duets(project_, policy_, request_.nightly);
    std::erase_if(planned_, [this](const PlannedDuet& planned) {
      return !request_.only.empty() && !request_.only.contains(planned.file);
    });
    shared_by(policy_, planned_.size());  // refuses what could never fail
  }

  // Only nights count what earlier references changed: the base is the present one.
  void read_chain() {
    if (request_.repin && (!request_.nightly || policy_.nightly_chain.empty())) {
      throw Error("--repin keeps what moving the nights' reference changes",
                  "give --nightly, too, and name a file in the policy: [nightly] chain = "
                  "\"pins.toml\"");
    }
    if (!request_.nightly || policy_.nightly_chain.empty()) return;
    chain_file_ = policy_file_.parent_path() / policy_.nightly_chain;
    chain_ = load_pin_chain(chain_file_);
    machine_ = collect_machine_info().fingerprint;
  }

  PinDuet pin_duet(const PlannedDuet& planned) const {
    return {machine_, planned.scenario, planned.sink,
            fmt::format("{}", fmt::join(planned.told_apart_by(), " "))};
  }

  PinHistory history_of(const PlannedDuet& planned) const {
    return chain_.history(a_.commit, pin_duet(planned));
  }

  void keep_link(const PlannedDuet& planned, const Verdict& verdict) {
    std::vector<PinRatio> ratios = ratios_of(verdict);
    if (ratios.empty() || verdict.outcome == VerdictOutcome::invalid) {
      tell("{}: it measured nothing that could be kept of the move\n", planned.text());
      return;
    }
    chain_.add({a_.commit, b_.commit, today_utc(), pin_duet(planned), verdict.rounds_used,
                std::move(ratios)});
    write_file_atomically(chain_file_, pin_chain_text(chain_));
  }

  // A folder holds the duets of two commits by one set of rules.
  void claim_out() {
    fs::create_directories(out_ / "duets");
    const fs::path note = out_ / "gate.txt";
    const std::string mine = fmt::format("base {}\nhead {}\n\n{}\n{}", a_.commit, b_.commit,
                                         file_text(project_.file), file_text(policy_file_));
    if (!fs::is_empty(out_ / "duets") && file_text(note) != mine) {
      throw Error(fmt::format("'{}' has duets of other revisions or rules", out_.string()),
                  "name another folder with --out");
    }
    write_file_atomically(note, mine);
  }

  // Returns whether both are built; false: the user interrupted.
  bool build_both() {
    const InterruptFlag interrupt;
    const Builds builds(project_, *repository_, *workspace_);
    const auto build = [&](Side& side, const std::string& name) {
      side.root = builds.build(side.commit, [&](const std::string& what) {
        say("{} ({}) {}\n", name, side.label(), what);
        std::cout.flush();
      });
      side.layouts = layouts_in(builds, side.commit, project_.layouts);
      return !InterruptFlag::raised();
    };
    if (!build(a_, request_.base) || !build(b_, request_.head)) return false;
    builds.drop_old();
    return true;
  }

  void find_waived() {
    std::set<std::string> commits;
    for (const Waiver& waiver : policy_.waivers) commits.insert(waiver.commit);
    for (const std::string& commit : commits) {
      const std::string not_used = fmt::format("waiver of {}: not used, ", commit);
      const auto full = repository_->find_commit(commit);
      if (!full) {
        say("{}git knows no such commit; correct its hash\n", not_used);
      } else if (repository_->contains(a_.commit, *full)) {
        say("{}the base contains it already; remove it\n", not_used);
      } else if (!repository_->contains(b_.commit, *full)) {
        say("{}the head does not contain it\n", not_used);
      } else {
        waived_.push_back(commit);
      }
    }
    policy_.waived_commits = waived_;
  }

  std::optional<std::string> why_without_sink(const PlannedDuet& duet, const Side& side) const {
    if (project_.makes == BuildMakes::tailgate) {
      return why_without(side.root / project_.made, duet.sink, workspace_->path() / "sinks.json");
    }
    return why_not_loaded(catalog_.sinks, project_.sink_of(duet.sink, side.root));
  }

  // What the head broke fails. What the base cannot run either, or not yet, cannot be compared:
  // it is left out where this machine or an older build lacks it, and is invalid where the build
  // makes nothing else.
  void settle_missing_sinks() {
    std::erase_if(planned_, [&](const PlannedDuet& duet) {
      if (duet.benchmark != nullptr) return false;
      const auto base = why_without_sink(duet, a_);
      const auto head = why_without_sink(duet, b_);
      if (!base && !head) return false;
      if (!base) {
        add_missing(duet, "fail",
                    fmt::format("the base runs {}, the head does not: {}", duet.sink, *head));
      } else if (project_.makes == BuildMakes::tailgate) {
        say("left out: the base does not run {} here: {}\n", duet.sink, *base);
      } else {
        add_missing(duet, "invalid", fmt::format("the base does not run it: {}", *base));
      }
      return true;
    });
    if (planned_.empty() && missing_.empty()) {
      throw Error("none of the policy's sinks is available here",
                  "'tailgate sinks' says why, and what to do");
    }
  }

  double left_s() const {
    if (!request_.minutes) return policy_.time_budget_s;
    const std::chrono::duration<double> spent = Clock::now() - begin_;
    return *request_.minutes * 60 - spent.count();
  }

  // About what the first look needs, where the last one needs the whole budget.
  double first_look_s(const PlannedDuet& planned) const {
    const auto looks =
        policy_.looks_at(planned.subject(), planned.generation_rounds.value_or(0)).rounds;
    constexpr double kSlack = 1.1;
    return std::min(1.0, kSlack * static_cast<double>(looks.front()) /
                             static_cast<double>(looks.back())) *
           policy_.time_budget_s;
  }

  // What must be left for a duet to begin. A night keeps the rounds of one that is not decided, and
  // goes on with it: in its second half, or when it is run again.
  double least_s(const PlannedDuet& planned) const {
    const double first_s = first_look_s(planned);
    return request_.nightly ? std::min(first_s, kShortest_s) : first_s;
  }

  // Where time is short, as many duets as possible are decided: those that need most come last.
  void order_by_time() {
    std::stable_sort(planned_.begin(), planned_.end(),
                     [this](const PlannedDuet& a, const PlannedDuet& b) {
                       return first_look_s(a) < first_look_s(b);
                     });
  }

  static bool is_undecided(const std::optional<EarlierDuet>& earlier) {
    return !earlier || earlier->can_go_on;
  }

  // Of the duet of this index, which is not decided: an equal part of the time that is left, so
  // that none takes the time of the undecided ones after it, but as much as its first look needs.
  double budget_s(std::size_t index) const {
    if (!request_.minutes) return policy_.time_budget_s;
    const auto undecided = std::count_if(
        planned_.begin() + static_cast<std::ptrdiff_t>(index), planned_.end(),
        [this](const PlannedDuet& planned) { return is_undecided(earlier_of(planned)); });
    const double part = left_s() / static_cast<double>(undecided);
    return std::min(
        {policy_.time_budget_s, std::max(part, first_look_s(planned_[index])), left_s()});
  }

  void add_missing(const PlannedDuet& duet, const char* outcome, std::string why) {
    tell("{}: {}\n", duet.text(), why);
    missing_.push_back(
        {outcome, duet.scenario, duet.benchmark ? "benchmark" : duet.sink, std::move(why)});
  }

  CommandGateSettings settings_of(const ProjectBenchmark& benchmark) const {
    return {parse_margin(benchmark.margin), benchmark.metrics};
  }

  // What an earlier gate with this folder left of a duet; nothing where there is none, or its file
  // cannot be read: then it is measured anew.
  std::optional<EarlierDuet> earlier_of(const PlannedDuet& planned) const {
    const fs::path file = out_ / "duets" / planned.file;
    if (!fs::exists(file)) return {};
    Policy policy = shared_by(policy_, planned_.size());
    policy.history = history_of(planned);
    try {
      if (planned.benchmark != nullptr) {
        const CommandDuet duet = load_command_duet(file);
        return EarlierDuet{can_go_on(duet, settings_of(*planned.benchmark), policy), duet.seed,
                           duet.rounds.size()};
      }
      const Duet duet = load_duet(file);
      return EarlierDuet{can_go_on(duet, policy, today_utc()), duet.seed, duet.rounds.size()};
    } catch (const Error&) {
      return {};
    }
  }

  int run_duet(std::size_t index) {
    const PlannedDuet& planned = planned_[index];
    const std::optional<EarlierDuet> earlier = earlier_of(planned);
    if (!is_undecided(earlier)) return kExitDone;
    if (left_s() < least_s(planned)) {
      if (!earlier) add_missing(planned, "inconclusive", "no time was left for the duet");
      return kExitDone;
    }
    const double budget = budget_s(index);
    say("\n==== duet {} of {}: {}, {}at most {}\n", index + 1, planned_.size(), planned.text(),
        earlier ? fmt::format("goes on after {} rounds, ", earlier->rounds) : "",
        human_wait(budget));
    std::cout.flush();
    DuetArguments arguments = arguments_of(planned);
    arguments.time_budget_s = budget;
    if (earlier) {
      arguments.resume = true;
      arguments.seed = earlier->seed;
    } else if (planned.benchmark != nullptr) {
      // How long its runs take is the user's, so the first looks take as long as they need.
      arguments.time_budget_s.reset();
    }
    try {
      if (duet(catalog_, arguments) == kExitInterrupted) return kExitInterrupted;
    } catch (const Error& error) {
      if (earlier) {
        tell("{}: {}\n  {}: with another --out. The verdict on its {} rounds stands\n",
             planned.text(), error.what_failed(), error.remedy(), earlier->rounds);
      } else {
        add_missing(planned, "invalid", fmt::format("{}; {}", error.what_failed(), error.remedy()));
      }
    }
    return kExitDone;
  }

  // Of commands, which have no causes for the history, a fail alone is explained.
  bool lacks_traced_rounds(const PlannedDuet& planned) const {
    const fs::path file = out_ / "duets" / planned.file;
    if (planned.benchmark != nullptr || !fs::exists(file)) return false;
    try {
      return !load_duet(file).difference;
    } catch (const Error&) {
      return false;  // its verdict says what is wrong with the file
    }
  }

  // Traced rounds for the history's charts of causes, in the time that the duets left. Each day
  // begins with another duet, so that all of them have some where time is short.
  int trace_duets() {
    const auto today = static_cast<std::size_t>(std::time(nullptr) / kSecondsADay);
    for (std::size_t i = 0; i < planned_.size(); ++i) {
      const PlannedDuet& planned = planned_[(today + i) % planned_.size()];
      if (policy_.explain_s <= 0 || left_s() < policy_.explain_s + kTraceStart_s) break;
      if (!lacks_traced_rounds(planned)) continue;
      say("\n==== traced rounds: {}, at most {}\n", planned.text(), human_wait(policy_.explain_s));
      std::cout.flush();
      DuetArguments arguments = arguments_of(planned);
      arguments.only_explain = true;
      try {
        if (duet(catalog_, arguments) == kExitInterrupted) return kExitInterrupted;
      } catch (const Error& error) {
        tell("{}: {}; {}\n", planned.text(), error.what_failed(), error.remedy());
      }
    }
    return kExitDone;
  }

  DuetArguments arguments_of(const PlannedDuet& planned) const {
    DuetArguments arguments;
    arguments.a.label = a_.label();
    arguments.b.label = b_.label();
    arguments.seed = std::random_device{}();
    arguments.out = (out_ / "duets" / planned.file).string();
    arguments.force = true;
    arguments.gate = true;
    arguments.policy = policy_file_.string();
    arguments.nightly = request_.nightly;
    arguments.history = history_of(planned);
    arguments.judged_together = planned_.size();
    if (planned.benchmark != nullptr) {
      add_benchmark(*planned.benchmark, arguments);
    } else {
      add_sink(planned, arguments);
    }
    return arguments;
  }

  void add_sink(const PlannedDuet& planned, DuetArguments& arguments) const {
    for (const auto& [into, side] : {std::pair(&arguments.a, &a_), std::pair(&arguments.b, &b_)}) {
      into->subject = project_.sink_of(planned.sink, side->root);
      into->layouts = side->layouts;
      if (project_.makes == BuildMakes::tailgate) {
        into->program = (side->root / project_.made).string();
      }
    }
    arguments.scenario = planned.scenario;
    arguments.settings = planned.set;
    arguments.generation_rounds = planned.generation_rounds;
    arguments.waived_commits = waived_;
  }

  void add_benchmark(const ProjectBenchmark& benchmark, DuetArguments& arguments) const {
    for (const auto& [into, side] : {std::pair(&arguments.a, &a_), std::pair(&arguments.b, &b_)}) {
      into->subject = benchmark.command;
      into->directory = side->root.string();
      into->layouts = side->layouts;
    }
    arguments.placement.load_cpus = benchmark.cpus;
    arguments.command = {.wanted = true,
                         .from = benchmark.from,
                         .calls = benchmark.calls,
                         .timeout_s = benchmark.timeout_s,
                         .margin = benchmark.margin,
                         .metrics = benchmark.metrics};
  }

  Verdict judged(const PlannedDuet& planned, const Policy& policy) const {
    CommandGateSettings settings;
    if (planned.benchmark != nullptr) settings = settings_of(*planned.benchmark);
    Policy for_duet = policy;
    for_duet.history = history_of(planned);
    Verdict verdict = judge_duet_file(out_ / "duets" / planned.file, settings, for_duet);
    // The project's names: those in the duet are a path into a checkout, or the command.
    if (planned.benchmark != nullptr) {
      verdict.scenario = planned.scenario;
    } else {
      verdict.sink = planned.sink;
    }
    return verdict;
  }

  int judge_all() {
    std::vector<Verdict> verdicts;
    for (const MissingDuet& missing : missing_) verdicts.push_back(verdict_on_missing(missing));
    std::vector<std::function<Verdict(const Policy&)>> duets;
    std::vector<const PlannedDuet*> measured;
    for (const PlannedDuet& planned : planned_) {
      if (!fs::exists(out_ / "duets" / planned.file)) continue;
      measured.push_back(&planned);
      duets.emplace_back(
          [this, &planned](const Policy& policy) { return judged(planned, policy); });
    }
    if (!duets.empty()) {
      auto planned = measured.begin();
      for (Verdict& verdict : judge_together(duets, policy_)) {
        if (request_.repin) keep_link(**planned++, verdict);
        if (verdict.outcome == VerdictOutcome::fail) {
          failed_.insert(fs::path(verdict.duet).filename().string());
        }
        verdicts.push_back(std::move(verdict));
      }
    }
    say("\n==== verdicts\n");
    std::cout << render(Verdicts{verdicts}, "text", {.colour = colour_wanted(stdout)});
    std::map<std::string, fs::path> files = request_.files;
    files.try_emplace("markdown", out_ / "report.md");
    files.try_emplace("junit", out_ / "verdict.xml");
    files.try_emplace("annotations", out_ / "annotations.txt");
    const fs::path plots = out_ / "plots";
    const int code = deliver_verdicts(verdicts, files, plots);
    say("\n");
    for (const std::string& line : wrapped(false_fails_text(policy_), kColumns, 0)) {
      say("{}\n", line);
    }
    if (request_.repin)
      say("\nkept in '{}'; now set reference = \"{}\"\n", chain_file_.string(), b_.commit);
    say("\nreport: {}\nJUnit:  {}\nplots:  {}\n", files.at("markdown").string(),
        files.at("junit").string(), plots.string());
    return code;
  }

  const Catalog& catalog_;
  const RevisionGateRequest& request_;
  const Clock::time_point begin_ = Clock::now();
  Project project_;
  fs::path policy_file_;
  Policy policy_;
  fs::path chain_file_;
  PinChain chain_;
  std::string machine_;  // its fingerprint, where there is a chain
  std::vector<PlannedDuet> planned_;
  std::optional<Workspace> workspace_;
  std::optional<Repository> repository_;
  Side a_;
  Side b_;
  fs::path out_;
  std::vector<std::string> waived_;
  std::vector<MissingDuet> missing_;
  std::set<std::string> failed_;
};

// Gates the base and commits of the range by the duets that failed, and says which commit did it.
class Bisecting {
 public:
  Bisecting(const Catalog& catalog, const RevisionGateRequest& request, const RevisionGate& gate,
            std::set<std::string> failed)
      : catalog_(catalog),
        out_(gate.out()),
        base_(gate.base()),
        head_(gate.head()),
        repository_(gate.root(), out_ / "git.log") {
    request_.base = base_;
    request_.policy = request.policy;
    request_.nightly = request.nightly;
    request_.only = std::move(failed);
  }

  void run() {
    const std::vector<std::string> commits = repository_.commits_between(base_, head_);
    say("\n==== which of {} commits\n", commits.size());
    const Bisection found =
        bisect(commits, [this](const std::string& commit) { return judge(commit); });
    if (interrupted_) return;
    say("\nthe first commit that fails: {}\n", repository_.subject_of(found.first_failed));
    for (const std::string& commit : found.unknown) {
      say("  or before it, since it could not be judged: {}\n", repository_.subject_of(commit));
    }
  }

  bool interrupted() const { return interrupted_; }

 private:
  CommitOutcome judge(const std::string& commit) {
    if (interrupted_) return CommitOutcome::unknown;
    say("\n==== bisecting: {}\n", repository_.subject_of(commit));
    request_.head = commit;
    request_.out = out_ / "bisect" / commit;
    try {
      const int code = RevisionGate(catalog_, request_).run().code;
      interrupted_ = code == kExitInterrupted;
      if (code == verdict_exit_code(VerdictOutcome::pass)) return CommitOutcome::passed;
      if (code == verdict_exit_code(VerdictOutcome::fail)) return CommitOutcome::failed;
    } catch (const Error& error) {
      tell("{}: {}\n", commit, error.what_failed());
    }
    return CommitOutcome::unknown;
  }

  const Catalog& catalog_;
  RevisionGateRequest request_;
  fs::path out_;
  std::string base_;
  std::string head_;
  Repository repository_;
  bool interrupted_ = false;
};

}  // namespace

bool name_revisions(const std::vector<fs::path>& words) {
  std::error_code failed;
  return words.size() == 2 && !fs::exists(words[0], failed) && !fs::exists(words[1], failed);
}

int gate_revisions(const Catalog& catalog, const RevisionGateRequest& request) {
  std::optional<RevisionGate> gate(std::in_place, catalog, request);
  const GateOutcome outcome = gate->run();
  if (!request.bisect || outcome.code != verdict_exit_code(VerdictOutcome::fail)) {
    return outcome.code;
  }
  if (outcome.failed.empty()) {
    say("\nwhat failed was not measured, so no commit between is looked for\n");
    return outcome.code;
  }
  Bisecting bisecting(catalog, request, *gate, outcome.failed);
  gate.reset();  // one gate at a time holds the project
  bisecting.run();
  return bisecting.interrupted() ? kExitInterrupted : outcome.code;
}

}  // namespace tailgate
