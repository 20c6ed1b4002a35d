// Waits for times in which nobody else uses the machine.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "harness/overhead/sampler.h"

namespace tailgate {

// Whether the machine has been idle for long enough. Pure.
class IdleCriterion {
 public:
  // most_busy: processors in use, 0.1 is a tenth of one. quiet_s: for so many seconds in a row.
  IdleCriterion(double most_busy, double quiet_s) : most_busy_(most_busy), quiet_s_(quiet_s) {}

  // Takes what was used in the last `seconds`; a busy period starts the count again.
  void note(double busy_processors, double seconds) {
    idle_s_ = busy_processors <= most_busy_ ? idle_s_ + seconds : 0;
  }
  bool reached() const { return idle_s_ >= quiet_s_; }

 private:
  double most_busy_;
  double quiet_s_;
  double idle_s_ = 0;
};

class IdleWatch {
 public:
  // scratch: the run's folder.
  explicit IdleWatch(const std::filesystem::path& scratch) : sampler_(make_sampler(scratch)) {}

  // Returns whether the criterion was reached before give_up() said true, which is asked once a
  // second. busy: told each second how many processors are in use.
  bool wait(IdleCriterion criterion, const std::function<bool()>& give_up,
            const std::function<void(double busy_processors)>& busy);

 private:
  std::unique_ptr<Sampler> sampler_;
};

}  // namespace tailgate
