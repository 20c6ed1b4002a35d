#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "harness/base/error.h"
#include "harness/etw/kernel_flags.h"
#include "harness/etw/kernel_session.h"
#include "harness/overhead/process_threads.h"
#include "harness/profile/kernel_samples.h"
#include "harness/profile/sampler.h"

namespace tailgate::profile {
namespace {

// A rate that differs by less is the one that was asked for: Windows counts in 100 ns.
constexpr double kSameRate = 0.01;

// A session of the kernel that samples all processors. Samplers that run at the same time share
// one, since the rate is the machine's: those of both sides of a duet.
class Recording {
 public:
  explicit Recording(const SamplerOptions& options) : asked_hz_(options.rate_hz) {
    const std::uint32_t flags = etw::kernel_flag_bits({"process", "thread", "img", "profile"});
    file_.path = options.directory / "samples.etl";
    file_.clock = options.clock;
    file_.start_ns = options.clock.now_ns();
    session_ = etw::start_kernel_session({.label = "samples",
                                          .file = file_.path,
                                          .flags = flags,
                                          .clock = options.clock.parameters().kind,
                                          .stacks = etw::kernel_stacks({"SampledProfile"}, flags),
                                          .sample_hz = options.rate_hz});
    file_.rate_hz = session_->granted_sample_hz();
    const std::uint32_t missing = flags & ~session_->granted_flags();
    if (missing == 0) return;
    session_.reset();
    throw Error(fmt::format("functions are not available: Windows does not record {}",
                            etw::kernel_flag_names(missing)),
                "stop other sessions of the kernel: 'logman query -ets' lists them");
  }

  // The first call ends the session.
  void stop() {
    if (!session_) return;
    const etw::KernelSessionCounts ended = session_->stop();
    session_.reset();
    file_.end_ns = file_.clock.now_ns();
    file_.ended_early = ended.ended;
    file_.events_lost = ended.events_lost;
    file_.buffers_lost = ended.buffers_lost;
    failure_ = ended.failure;
  }

  bool runs() const { return session_ != nullptr; }

  Samples read(const SampledThreads& whose) const {
    const auto names = etl::debug_help_names();
    Samples samples = read_kernel_samples(file_, whose, *names);
    const auto add = [&](const std::string& limit) {
      samples.limits += (samples.limits.empty() ? "" : "; ") + limit;
    };
    if (!failure_.empty()) add(failure_);
    if (std::abs(file_.rate_hz - asked_hz_) > kSameRate * asked_hz_) {
      add(fmt::format("Windows takes {:.0f} samples a second, not {:.0f}", file_.rate_hz,
                      asked_hz_));
    }
    return samples;
  }

 private:
  double asked_hz_;
  KernelSamplesFile file_;
  std::unique_ptr<etw::KernelSession> session_;
  std::string failure_;
};

std::shared_ptr<Recording> recording(const SamplerOptions& options) {
  static std::mutex mutex;
  static std::weak_ptr<Recording> last;
  const std::lock_guard lock(mutex);
  std::shared_ptr<Recording> one = last.lock();
  if (one == nullptr || !one->runs()) {
    one = std::make_shared<Recording>(options);
    last = one;
  }
  return one;
}

class KernelSampler : public StackSampler {
 public:
  explicit KernelSampler(const SamplerOptions& options) : recording_(recording(options)) {
    whose_.load = {options.load.begin(), options.load.end()};
    for (const SampledProcess& process : options.processes) {
      whose_.processes.emplace(static_cast<std::uint32_t>(process.pid), process.role);
      for (const ProcessThread& one : threads_of({process.pid})) {
        whose_.processes.emplace(static_cast<std::uint32_t>(one.process), process.role);
      }
    }
  }

  ~KernelSampler() override { recording_->stop(); }

  void stop() override { recording_->stop(); }

  Samples read() override {
    try {
      return recording_->read(whose_);
    } catch (const Error& error) {
      return {.method = "none", .limits = error.what(), .callers = "none"};
    }
  }

 private:
  std::shared_ptr<Recording> recording_;
  SampledThreads whose_;
};

}  // namespace

std::unique_ptr<StackSampler> start_sampler(const SamplerOptions& options) {
  if (options.sampled == Sampled::page_faults) {
    throw Error("page faults are not sampled on Windows", "compare the metric rss_bytes");
  }
  if (options.command > 0) {
    throw Error("commands are not sampled on Windows", "run the duet on Linux to learn why");
  }
  return std::make_unique<KernelSampler>(options);
}

}  // namespace tailgate::profile
