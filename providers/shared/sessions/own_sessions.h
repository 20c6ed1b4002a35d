// Trials whose provider processes have a session each (TrialContext::own_sessions), for sinks whose
// sessions know nothing of one another: each is what it would be in a trial of its own, in a folder
// of its own.
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/sink/sink.h"

namespace tailgate {

// Where a session of the trial has its files: the first one in the trial's directory.
inline std::filesystem::path session_directory(const TrialContext& context, unsigned session) {
  if (session == 0) return context.directory;
  return context.directory / ("session-" + std::to_string(session));
}

// As if that session were the only one. Load threads keep their numbers.
inline TrialContext context_of_own(const TrialContext& context, unsigned session) {
  TrialContext one = context;
  one.directory = session_directory(context, session);
  one.processes = 1;
  one.process = 0;
  one.expected_bytes = context.expected_bytes / std::max(1u, context.sessions);
  one.sessions = 1;
  one.own_sessions = false;
  return one;
}

inline void create_session_directories(const TrialContext& context) {
  for (unsigned i = 1; i < context.sessions; ++i) {
    const std::filesystem::path directory = session_directory(context, i);
    std::error_code failed;
    std::filesystem::create_directories(directory, failed);
    if (failed) {
      throw system_error("mkdir", directory.string(), failed.value(),
                         "choose a trial directory that can be written to");
    }
  }
}

// Adds up the losses to the same cause.
inline void add_losses(const std::vector<Loss>& more, std::vector<Loss>& losses) {
  for (const Loss& loss : more) {
    const auto same = std::find_if(losses.begin(), losses.end(),
                                   [&](const Loss& one) { return one.cause == loss.cause; });
    if (same == losses.end()) {
      losses.push_back(loss);
    } else {
      same->events += loss.events;
    }
  }
}

// All sessions of a trial.
class OwnSessions : public Session {
 public:
  using Make = std::function<std::unique_ptr<Session>(const TrialContext& one)>;

  OwnSessions(const TrialContext& context, const Make& make) : context_(context) {
    for (unsigned i = 0; i < context.sessions; ++i) {
      sessions_.push_back(make(context_of_own(context, i)));
    }
  }

  void start() override {
    create_session_directories(context_);
    for (std::size_t i = 0; i < sessions_.size(); ++i) {
      try {
        sessions_[i]->start();
      } catch (const Error& error) {
        stop_before(i);
        throw Error("session " + std::to_string(i + 1) + " of " + std::to_string(sessions_.size()) +
                        ": " + error.what_failed(),
                    error.remedy());
      }
    }
  }

  // Those of the first one: all were asked for the same.
  std::vector<std::pair<std::string, std::string>> granted() const override {
    return sessions_.front()->granted();
  }
  std::vector<DaemonProcess> daemons() const override {
    std::vector<DaemonProcess> all;
    for (const auto& session : sessions_) {
      const std::vector<DaemonProcess> of_one = session->daemons();
      all.insert(all.end(), of_one.begin(), of_one.end());
    }
    return all;
  }
  void listen(bool on, SwitchWay way) override {
    for (const auto& session : sessions_) session->listen(on, way);
  }

  // Stops every one; throws the first error.
  void stop() override {
    std::optional<Error> first;
    for (const auto& session : sessions_) {
      try {
        session->stop();
      } catch (const Error& error) {
        if (!first) first = error;
      }
    }
    if (first) throw *first;
  }
  std::vector<Loss> losses() const override {
    std::vector<Loss> losses;
    for (const auto& session : sessions_) add_losses(session->losses(), losses);
    return losses;
  }

 private:
  void stop_before(std::size_t number) {
    for (std::size_t i = 0; i < number; ++i) {
      try {
        sessions_[i]->stop();
      } catch (const Error&) {  // the error of the start is told
      }
    }
  }

  TrialContext context_;
  std::vector<std::unique_ptr<Session>> sessions_;
};

// Reads all of them in turn.
class OwnConsumers : public Consumer {
 public:
  explicit OwnConsumers(std::vector<std::unique_ptr<Consumer>> consumers)
      : consumers_(std::move(consumers)) {}

  std::size_t poll(EventVisitor& visitor) override {
    std::size_t events = 0;
    for (const auto& consumer : consumers_) events += consumer->poll(visitor);
    return events;
  }
  void finish(EventVisitor& visitor) override {
    for (const auto& consumer : consumers_) consumer->finish(visitor);
  }
  // Only of paths that count what they lose by events: nobody knows of which session the missing
  // ones are.
  std::vector<Loss> losses(std::uint64_t missing) const override {
    std::vector<Loss> losses;
    for (const auto& consumer : consumers_) add_losses(consumer->losses(missing), losses);
    return losses;
  }

 private:
  std::vector<std::unique_ptr<Consumer>> consumers_;
};

// open: a consumer of what one session recorded.
inline std::unique_ptr<Consumer> open_own_consumers(
    const TrialContext& context,
    const std::function<std::unique_ptr<Consumer>(const TrialContext& one)>& open) {
  std::vector<std::unique_ptr<Consumer>> all;
  for (unsigned i = 0; i < context.sessions; ++i) all.push_back(open(context_of_own(context, i)));
  return std::make_unique<OwnConsumers>(std::move(all));
}

}  // namespace tailgate
