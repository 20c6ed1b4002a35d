#include <dlfcn.h>
#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "harness/base/error.h"
#include "providers/lttng/libraries.h"
#include "providers/lttng/tracepoint_library.h"
#include "providers/lttng/tracer.h"

namespace tailgate::lttng_detail {
namespace {

enum Refusal : EmitStatus { kClosed = 1 };

constexpr std::chrono::milliseconds kEnabledWithin{5000};

class TracepointProvider : public Provider {
 public:
  // Loading the library registers this process with the session daemon and waits for it.
  TracepointProvider() {
    const std::filesystem::path path = find_library(kTracepointLibrary);
    void* library = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      throw Error(
          fmt::format("loading '{}' failed: {}", path.empty() ? kTracepointLibrary : path.string(),
                      path.empty() ? "it is missing" : dlerror()),
          "install tailgate again (cmake --install), and liblttng-ust1");
    }
    // The library stays loaded: the tracer's threads run in it until the process ends.
    emit_ = reinterpret_cast<Emit>(dlsym(library, "tailgate_lttng_emit"));
    const auto enabled = reinterpret_cast<Enabled>(dlsym(library, "tailgate_lttng_enabled"));
    if (emit_ == nullptr || enabled == nullptr) {
      throw Error(fmt::format("'{}' lacks its functions", path.string()),
                  "install tailgate again (cmake --install)");
    }
    wait_until(enabled);
  }

  EmitStatus emit(unsigned, std::span<const std::byte> event) noexcept override {
    if (closed_) return kClosed;
    emit_(reinterpret_cast<const std::uint8_t*>(event.data()),
          static_cast<std::uint32_t>(event.size()));
    return kAccepted;
  }

  std::vector<std::string> refusal_causes() const override { return {"closed"}; }
  void close() override { closed_ = true; }

 private:
  using Emit = decltype(&tailgate_lttng_emit);
  using Enabled = decltype(&tailgate_lttng_enabled);

  static void wait_until(Enabled enabled) {
    const auto give_up = std::chrono::steady_clock::now() + kEnabledWithin;
    while (!enabled()) {
      if (std::chrono::steady_clock::now() > give_up) {
        throw Error(
            fmt::format("no session has the event enabled after {} ms", kEnabledWithin.count()),
            "start the session before its provider; see lttng-sessiond.log (--keep)");
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  Emit emit_ = nullptr;
  bool closed_ = false;
};

}  // namespace

std::unique_ptr<Provider> open_provider(const TrialContext&) {
  return std::make_unique<TracepointProvider>();
}

}  // namespace tailgate::lttng_detail
