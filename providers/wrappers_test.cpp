// Every wrapper hands on to its sink's session what the controller tells it.
#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/testing/test_directory.h"
#include "providers/fields/fields.h"
#include "providers/planted/planted.h"
#include "providers/queue/queue.h"
#include "providers/testing/sinks.h"

namespace tailgate {
namespace {

// Notes what it is told.
class ToldSession : public NoSession {
 public:
  explicit ToldSession(std::vector<std::string>& told) : told_(told) {}
  void listen(bool on, SwitchWay) override { told_.push_back(on ? "on" : "off"); }
  void listen_as_rival(bool on, SwitchWay) override {
    told_.push_back(on ? "rival on" : "rival off");
  }
  void start_rival() override { told_.push_back("rival starts"); }
  void end_rival() override { told_.push_back("rival ends"); }
  void rotate() override { told_.push_back("rotate"); }
  void provider_started(unsigned process, int pid) override {
    told_.push_back("process " + std::to_string(process) + " is " + std::to_string(pid));
  }
  std::optional<std::filesystem::path> own_disk() const override { return "disk"; }
  int namespace_pid() const override { return 7; }
  std::vector<Loss> losses() const override { return {{"told", 3}}; }

 private:
  std::vector<std::string>& told_;
};

class ToldSink : public SinkType {
 public:
  explicit ToldSink(std::vector<std::string>& told) : told_(told) {}
  std::string name() const override { return "told"; }
  std::string description() const override { return "notes what its session is told"; }
  OptionTable options() const override { return {}; }
  Capabilities capabilities(const Options&) const override {
    return {.multi_process = true, .own_sessions = true, .multi_consumer = true};
  }
  Probe probe(const Options&) const override { return {}; }
  std::vector<std::string> copies(const Options&) const override { return {"one", "two"}; }
  std::unique_ptr<Session> make_session(const TrialContext&) const override {
    return std::make_unique<ToldSession>(told_);
  }
  std::unique_ptr<Provider> open_provider(const TrialContext&) const override { return nullptr; }
  std::unique_ptr<Consumer> open_consumer(const TrialContext&) const override { return nullptr; }

 private:
  std::vector<std::string>& told_;
};

TEST_CASE("a wrapper hands on what the controller tells the session, and what the sink can do") {
  const auto wrap = GENERATE(plant_into, put_behind_queue, give_fields);
  std::vector<std::string> told;
  const std::unique_ptr<const SinkType> sink = wrap(std::make_shared<ToldSink>(told));
  const Options options(sink->options(), "sink 'told'");
  CHECK(sink->name() == "told");
  CHECK(sink->options().size() >= 2);
  CHECK(sink->capabilities(options).own_sessions);
  CHECK(sink->capabilities(options).multi_consumer);
  CHECK(sink->copies(options) == std::vector<std::string>{"one", "two"});
  const std::unique_ptr<Session> session = sink->make_session({.options = options});
  session->start();
  session->listen(false, SwitchWay::session);
  session->listen(true, SwitchWay::session);
  session->listen_as_rival(false, SwitchWay::session);
  session->start_rival();
  session->end_rival();
  session->rotate();
  session->provider_started(1, 23);
  CHECK(told == std::vector<std::string>{"off", "on", "rival off", "rival starts", "rival ends",
                                         "rotate", "process 1 is 23"});
  CHECK(session->own_disk() == "disk");
  CHECK(session->namespace_pid() == 7);
  REQUIRE(session->losses().size() == 1);
  session->stop();
}

TEST_CASE("a fallback's session hands on to the sink that it has started") {
  const SinkChoice choice = sink_choice("fallback:first=synthetic:second=file");
  const TestDirectory directory;
  const auto session = choice.type->make_session(
      {.options = choice.options, .directory = directory.path(), .max_event_bytes = 128});
  CHECK(session->granted().empty());
  CHECK_THROWS_AS(session->listen(false, SwitchWay::session), Error);
  session->start();
  session->listen(false, SwitchWay::session);
  session->listen_as_rival(false, SwitchWay::session);
  CHECK(session->granted().front().second == "synthetic");
  session->stop();
}

}  // namespace
}  // namespace tailgate
