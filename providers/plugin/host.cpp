#include "providers/plugin/host.h"

#include <fmt/format.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "harness/base/error.h"
#include "harness/os/shared_wait.h"
#include "providers/plugin/calls.h"
#include "providers/plugin/described.h"
#include "providers/plugin/library.h"

namespace tailgate::plugin_detail {
namespace {

using nlohmann::json;

constexpr const char* kCommand = "plugin-process";

enum Turn : std::uint32_t { kNothing = 0, kQuestion = 1, kAnswer = 2 };

// The shared memory.
struct Mailbox {
  static constexpr std::size_t kMaxBytes = 1 << 20;

  std::atomic<std::uint32_t> turn;
  std::uint32_t size_bytes;
  char text[kMaxBytes];

  void put(const std::string& message, Turn next) {
    if (message.size() > kMaxBytes) throw std::length_error("the plugin's answer is over 1 MiB");
    std::memcpy(text, message.data(), message.size());
    size_bytes = static_cast<std::uint32_t>(message.size());
    turn.store(next, std::memory_order_release);
    wake_all(turn);
  }
  // The plugin's process may have written anything.
  std::string_view message() const { return {text, std::min<std::size_t>(size_bytes, kMaxBytes)}; }
};

Mailbox& mailbox(const SharedMemory& memory) {
  return *reinterpret_cast<Mailbox*>(memory.data());
}

std::string dumped(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json json_of(const std::vector<std::pair<std::string, std::string>>& texts) {
  json list = json::array();
  for (const auto& [name, value] : texts) list.push_back({name, value});
  return list;
}

// The plugin's process: answers one question after another.
class Answers {
 public:
  explicit Answers(const std::string& library) : table_(load_table(library)) {}

  json to(const json& question) {
    const std::string what = question.at("do");
    if (what == "describe") return to_json(describe(table_));
    if (what == "stop") return stop();
    const TrialContext context = context_from(question);
    if (what == "abilities") {
      const tailgate_abilities abilities = abilities_with(table_, context);
      return {{"flags", abilities.flags}, {"read_back", abilities.read_back}};
    }
    if (what == "probe") {
      check_usable(table_, context);
      return json::object();
    }
    if (what == "start") return start(context);
    throw std::logic_error("unknown question " + what);
  }

 private:
  TrialContext context_from(const json& question) const {
    TrialContext context{.options = Options(describe(table_).options, table_.name),
                         .directory = question.at("directory").get<std::string>(),
                         .threads = question.at("threads"),
                         .max_event_bytes = question.at("max_event_bytes"),
                         .expected_bytes = question.at("expected_bytes")};
    for (const auto& [name, value] : question.at("options").items()) {
      context.options.set(name, value.get<std::string>());
    }
    return context;
  }

  json start(const TrialContext& context) {
    session_ = make_session(table_, context);
    session_->start();
    json daemons = json::array();
    for (const DaemonProcess& daemon : session_->daemons()) {
      daemons.push_back({daemon.name, daemon.pid});
    }
    return {{"granted", json_of(session_->granted())},
            {"environment", json_of(session_->environment())},
            {"daemons", daemons}};
  }

  json stop() {
    session_->stop();
    json losses = json::array();
    for (const Loss& loss : session_->losses()) losses.push_back({loss.cause, loss.events});
    return {{"losses", losses}};
  }

  const tailgate_sink& table_;
  std::unique_ptr<Session> session_;
};

json failure(const Error& error) {
  return {{"error", error.what_failed()}, {"remedy", error.remedy()}};
}

json answer_to(const json& question, std::unique_ptr<Answers>& answers) {
  try {
    if (!answers) answers = std::make_unique<Answers>(question.at("library").get<std::string>());
    return {{"answer", answers->to(question)}};
  } catch (const Error& error) {
    return failure(error);
  } catch (const std::exception& error) {
    return failure(Error(error.what(), "see the plugin's output"));
  }
}

int answer_questions(const std::string& handle) {
  prepare_child_process();
  name_this_thread("tg-plugin");
  const SharedMemory memory = SharedMemory::open_inherited(handle);
  Mailbox& box = mailbox(memory);
  std::unique_ptr<Answers> answers;
  while (true) {
    const std::uint32_t turn = box.turn.load(std::memory_order_acquire);
    if (turn != kQuestion) {
      wait_while(box.turn, turn, std::chrono::seconds(10));
      continue;
    }
    const json answer = answer_to(json::parse(box.message()), answers);
    box.put(dumped(answer), kAnswer);
  }
}

Child start_child(const SharedMemory& memory, const std::filesystem::path& output) {
  return Child::start({.arguments = {kCommand, memory.handle()},
                       .environment = {},
                       .inherited = {memory.native()},
                       .output = output});
}

}  // namespace

PluginHost::PluginHost(std::filesystem::path library, const std::filesystem::path& output)
    : library_(std::move(library)),
      output_(output),
      memory_(SharedMemory::create(sizeof(Mailbox))),
      child_(start_child(memory_, output)) {}

void PluginHost::give_up(const std::string& what, const std::string& doing) {
  child_.kill();
  throw Error(fmt::format("the plugin '{}' {} during '{}'", library_.string(), what, doing),
              output_.empty()
                  ? "its output is above; run 'tailgate check' on it"
                  : fmt::format("its output is in '{}', which --keep keeps", output_.string()));
}

json PluginHost::ask(const json& question, std::chrono::seconds within) {
  const std::string doing = question.at("do");
  Mailbox& box = mailbox(memory_);
  json whole = question;
  whole["library"] = library_.string();
  box.put(dumped(whole), kQuestion);
  PatientDeadline deadline(within);
  while (box.turn.load(std::memory_order_acquire) != kAnswer) {
    if (const std::optional<ChildEnd> end = child_.poll()) {
      give_up("ended its process by " + end->text(), doing);
    }
    if (deadline.passed()) give_up("did not answer", doing);
    wait_while(box.turn, kQuestion, std::chrono::milliseconds(20));
  }
  const json answer = json::parse(box.message(), nullptr, false);
  box.turn.store(kNothing, std::memory_order_release);
  if (answer.is_discarded() || !answer.is_object()) give_up("damaged its process's memory", doing);
  const auto found = answer.find("answer");
  if (found != answer.end()) return *found;
  throw Error(answer.value("error", "an unknown error"), answer.value("remedy", ""));
}

json question_of(const char* what, const TrialContext& context) {
  json options = json::object();
  for (const auto& [name, value] : context.options.resolved()) options[name] = value;
  return {{"do", what},
          {"directory", context.directory.string()},
          {"threads", context.threads},
          {"max_event_bytes", context.max_event_bytes},
          {"expected_bytes", context.expected_bytes},
          {"options", options}};
}

}  // namespace tailgate::plugin_detail

namespace tailgate {

std::optional<int> run_plugin_process(int argc, char** argv) {
  if (argc != 3 || std::string_view(argv[1]) != plugin_detail::kCommand) return {};
  return plugin_detail::answer_questions(argv[2]);
}

}  // namespace tailgate
