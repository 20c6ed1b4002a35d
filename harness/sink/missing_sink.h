// A sink that this build does not have. It is listed with the reason, and its options are known, so
// that a preset which names them loads everywhere; it cannot be opened.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "harness/base/error.h"
#include "harness/sink/sink.h"

namespace tailgate {

class MissingSink : public SinkType {
 public:
  // what: the description; "(not in this build)" is added. probe: not available, and why.
  MissingSink(std::string name, std::string what, OptionTable options, Probe probe)
      : name_(std::move(name)),
        what_(std::move(what)),
        options_(std::move(options)),
        probe_(std::move(probe)) {}

  std::string name() const override { return name_; }
  std::string description() const override { return what_ + " (not in this build)"; }
  OptionTable options() const override { return options_; }
  Capabilities capabilities(const Options&) const override { return {}; }
  Probe probe(const Options&) const override { return probe_; }

  std::unique_ptr<Session> make_session(const TrialContext&) const override { refuse(); }
  std::unique_ptr<Provider> open_provider(const TrialContext&) const override { refuse(); }
  std::unique_ptr<Consumer> open_consumer(const TrialContext&) const override { refuse(); }

 private:
  [[noreturn]] void refuse() const {
    throw Error("the " + name_ + " sink is not available: " + probe_.reason, probe_.remedy);
  }

  std::string name_;
  std::string what_;
  OptionTable options_;
  Probe probe_;
};

}  // namespace tailgate
