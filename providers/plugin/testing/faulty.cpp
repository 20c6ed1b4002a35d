// A plugin that does what its option says wrong, for tests.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include <tailgate/sink.hpp>

namespace {

using namespace tailgate::plugin;

const char* const kFaults[] = {"none",           "probe_fails",    "open_fails",     "open_crashes",
                               "open_hangs",     "open_overruns",  "warm_fails",     "emit_crashes",
                               "emit_hangs",     "emit_throws",    "emit_overreads", "loses_events",
                               "changes_events", "doubles_events", "close_fails",    "leaks",
                               "start_fails",    "start_crashes",  "start_throws",   "stop_crashes",
                               "consumer_fails", "accepts_closed", nullptr};
const tailgate_option kOptions[] = {
    {"fault", TAILGATE_CHOICE, "none", "what goes wrong", 0, 0, kFaults}, {}};

std::string fault_of(const tailgate_context* context) {
  return Context(*context).text("fault");
}

void hang() {
  std::this_thread::sleep_for(std::chrono::hours(1));
}

class Faulty : public Provider {
 public:
  explicit Faulty(const Context& context)
      : fault_(context.text("fault")), file_(std::fopen(context.log_path().c_str(), "w")) {
    if (std::getenv("FAULTY_SESSION") == nullptr) throw std::runtime_error("no session");
    if (fault_ == "open_fails") throw std::runtime_error("the queue of 8 GiB cannot be made");
    if (fault_ == "open_crashes") std::abort();
    if (fault_ == "open_hangs") hang();
    if (fault_ == "leaks") leaked_ = std::fopen(context.log_path().c_str(), "r");
  }

  void warm_up(unsigned) override {
    if (fault_ == "warm_fails") throw std::runtime_error("no buffer for the thread");
  }

  std::uint8_t emit(unsigned, Event event) {
    if (file_ == nullptr) return fault_ == "accepts_closed" ? kAccepted : 1;
    ++count_;
    if (count_ == 50) {
      if (fault_ == "emit_crashes") std::abort();
      if (fault_ == "emit_hangs") hang();
      if (fault_ == "emit_throws") throw std::runtime_error("the queue is gone");
      if (fault_ == "loses_events") return kAccepted;
      if (fault_ == "changes_events") event.size_bytes -= 1;
    }
    std::string line(event.text());
    if (fault_ == "emit_overreads") line.assign(event.text().data(), event.size_bytes + 4096);
    line.resize(std::min(line.size(), event.size_bytes));
    std::fprintf(file_, "%s\n", line.c_str());
    if (fault_ == "doubles_events" && count_ == 50) std::fprintf(file_, "%s\n", line.c_str());
    return kAccepted;
  }

  void close() override {
    if (file_ == nullptr) return;
    std::fclose(file_);
    file_ = nullptr;
    if (fault_ == "close_fails") throw std::runtime_error("the last 7 events could not be written");
  }

 private:
  std::string fault_;
  std::FILE* file_;
  std::FILE* leaked_ = nullptr;
  int count_ = 0;
};

class FaultySession : public Session {
 public:
  explicit FaultySession(const Context& context) : fault_(context.text("fault")) {
    if (fault_ == "start_fails") throw std::runtime_error("no daemon");
    if (fault_ == "start_crashes") std::abort();
  }
  std::vector<std::pair<std::string, std::string>> granted() override { return {{"buffers", "4"}}; }
  std::vector<std::pair<std::string, std::string>> environment() override {
    return {{"FAULTY_SESSION", "yes"}};
  }
  void stop() override {
    if (fault_ == "stop_crashes") std::abort();
  }
  std::vector<Loss> losses() override { return {}; }

 private:
  std::string fault_;
};

tailgate_sink table() {
  tailgate_sink table = table_of<Faulty, FaultySession>(
      {.name = "faulty",
       .description = "does something wrong",
       .flags = TAILGATE_TEXT_EVENTS | TAILGATE_LIVE_READ | TAILGATE_SINGLE_THREADED |
                TAILGATE_ASYNCHRONOUS | TAILGATE_ACCOUNTS_LOSSES,
       .read_back = TAILGATE_READ_LINES,
       .library = "faulty 1.0",
       .options = kOptions});
  static const auto open = table.provider_open;
  table.provider_open = [](const tailgate_context* context, void** provider, char* error,
                           std::size_t error_bytes) {
    if (fault_of(context) == "open_overruns") std::memset(error, 'x', error_bytes + 100);
    return open(context, provider, error, error_bytes);
  };
  static const auto start = table.session_start;
  table.session_start = [](const tailgate_context* context, void** session, char* error,
                           std::size_t error_bytes) {
    if (fault_of(context) == "start_throws") throw std::runtime_error("thrown by the session");
    return start(context, session, error, error_bytes);
  };
  table.probe = [](const tailgate_context* context, char* error, std::size_t error_bytes) {
    if (fault_of(context) != "probe_fails") return 0;
    std::snprintf(error, error_bytes, "the daemon is not installed; apt-get install faultyd");
    return 1;
  };
  return table;
}

}  // namespace

TAILGATE_PLUGIN_TABLE(table())
