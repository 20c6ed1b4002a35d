// A sink that changes another one and is used in its place: the bases of its parts forward
// everything, so that a wrapper contains what it changes and nothing else.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/sink/sink.h"

namespace tailgate {

class WrappedSession : public Session {
 public:
  explicit WrappedSession(std::unique_ptr<Session> session) : session_(std::move(session)) {}

  void start() override { session_->start(); }
  std::vector<std::pair<std::string, std::string>> granted() const override {
    return session_->granted();
  }
  std::vector<DaemonProcess> daemons() const override { return session_->daemons(); }
  std::vector<std::pair<std::string, std::string>> environment() const override {
    return session_->environment();
  }
  int namespace_pid() const override { return session_->namespace_pid(); }
  void listen(bool on, SwitchWay way) override { session_->listen(on, way); }
  void rotate() override { session_->rotate(); }
  std::optional<std::filesystem::path> own_disk() const override { return session_->own_disk(); }
  void listen_as_rival(bool on, SwitchWay way) override { session_->listen_as_rival(on, way); }
  void start_rival() override { session_->start_rival(); }
  void end_rival() override { session_->end_rival(); }
  std::optional<CommandsTold> commands() const override { return session_->commands(); }
  void provider_started(unsigned process, int pid) override {
    session_->provider_started(process, pid);
  }
  void stop() override { session_->stop(); }
  std::vector<std::uint64_t> daemons_cpu_in_stop_ns() const override {
    return session_->daemons_cpu_in_stop_ns();
  }
  std::vector<Loss> losses() const override { return session_->losses(); }

 protected:
  // For a session that chooses which one it wraps when it starts; until then it is none.
  WrappedSession() : session_(std::make_unique<NoSession>()) {}
  void wrap(std::unique_ptr<Session> session) { session_ = std::move(session); }

 private:
  std::unique_ptr<Session> session_;
};

class WrappedSink : public SinkType {
 public:
  std::string name() const override { return sink_->name(); }
  std::string description() const override { return sink_->description() + ", with " + adds_; }
  OptionTable options() const override {
    OptionTable table = sink_->options();
    table.insert(table.end(), added_options_.begin(), added_options_.end());
    return table;
  }
  Capabilities capabilities(const Options& options) const override {
    return sink_->capabilities(options);
  }
  // A wrapper sees the calls of tailgate's own load threads, and no others.
  Probe probe(const Options& options) const override {
    const std::string language = sink_->capabilities(options).driver_language;
    if (language.empty()) return sink_->probe(options);
    return {.available = false,
            .reason = "a program in " + language + " makes the calls of sink '" + name() +
                      "', and only tailgate's own can be made with " + adds_,
            .remedy = "leave the options out that add " + adds_};
  }
  std::vector<std::string> copies(const Options& options) const override {
    return sink_->copies(options);
  }
  void sweep() const override { sink_->sweep(); }

  std::unique_ptr<Session> make_session(const TrialContext& context) const override {
    return sink_->make_session(context);
  }
  std::unique_ptr<Provider> open_provider(const TrialContext& context) const override {
    return sink_->open_provider(context);
  }
  std::unique_ptr<Consumer> open_consumer(const TrialContext& context) const override {
    return sink_->open_consumer(context);
  }

 protected:
  // adds: what it is with, as in "a queue".
  WrappedSink(std::shared_ptr<const SinkType> sink, std::string adds, OptionTable added_options)
      : sink_(std::move(sink)), adds_(std::move(adds)), added_options_(std::move(added_options)) {}

 private:
  std::shared_ptr<const SinkType> sink_;
  std::string adds_;
  OptionTable added_options_;
};

}  // namespace tailgate
