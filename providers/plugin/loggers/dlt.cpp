// DLT, the logging of cars: the library puts a message into a pipe, dlt-daemon writes it to its
// offline trace. The event is the message's one argument, a text.
#include <dlt/dlt.h>

#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "daemon.hpp"
#include "dlt_trace.hpp"
#include "logger.hpp"

namespace {

using namespace loggers;
namespace fs = std::filesystem;

const tailgate_option kOptions[] = {
    {"message_bytes", TAILGATE_INTEGER, "1390",
     "DLT_LOG_MSG_BUF_LEN: the library would cut a longer message, so the event is refused", 256,
     65535, nullptr},
    {}};
const char* const kRefusals[] = {"closed", "too long", "buffer full", "write failed", nullptr};

constexpr char kApplication[] = "TLGA";
constexpr char kContext[] = "EVNT";
constexpr std::size_t kArgumentBytes = 4 + 2 + 1;  // its type, its length, the text's end

class Dlt : public Provider {
 public:
  explicit Dlt(const Context& context)
      : most_bytes_(static_cast<std::size_t>(context.integer("message_bytes")) - kArgumentBytes) {
    if (dlt_check_library_version(_DLT_PACKAGE_MAJOR_VERSION, _DLT_PACKAGE_MINOR_VERSION) < 0 ||
        dlt_register_app(kApplication, "tailgate") < 0 ||
        dlt_register_context(&log_, kContext, "events") < 0) {
      throw std::runtime_error("the application could not be registered with dlt-daemon");
    }
    dlt_set_resend_timeout_atexit(20'000);  // ms; closing waits for what the pipe did not take
    open_ = true;
  }

  std::uint8_t emit(unsigned, Event event) {
    if (!open_) return kClosed;
    if (event.size_bytes > most_bytes_) return 2;
    DltContextData message;
    if (dlt_user_log_write_start(&log_, &message, DLT_LOG_INFO) <= 0) return 4;
    dlt_user_log_write_sized_utf8_string(&message, static_cast<const char*>(event.data),
                                         static_cast<std::uint16_t>(event.size_bytes));
    switch (dlt_user_log_write_finish(&message)) {
      case DLT_RETURN_OK:
      case DLT_RETURN_PIPE_FULL:  // the library keeps it, and sends it later
        return kAccepted;
      case DLT_RETURN_BUFFER_FULL:
        return 3;
      default:
        return 4;
    }
  }

  void close() override {
    if (!std::exchange(open_, false)) return;
    dlt_unregister_context(&log_);
    dlt_unregister_app_flush_buffered_logs();
    dlt_free();
  }

 private:
  std::size_t most_bytes_;
  DltContext log_{};
  bool open_ = false;
};

fs::path trace_folder(const Context& context) {
  return fs::path(context.directory()) / "trace";
}

// The offline trace; empty before the daemon has made it.
fs::path trace_file(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) return entry.path();
  return {};
}

class DltDaemon : public Session {
 public:
  explicit DltDaemon(const Context& context)
      : context_{context.directory(), context.text("message_bytes")},
        folder_(trace_folder(context)),
        daemon_(command(context), context.directory() + "/dlt-daemon.log") {
    const std::string pipe = context.directory() + "/dlt";
    daemon_.wait_until("it had made its pipe", std::chrono::seconds(20),
                       [&] { return fs::is_fifo(pipe) && !trace_file(folder_).empty(); });
    pipe_ = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  }
  ~DltDaemon() override { ::close(pipe_); }

  std::vector<std::pair<std::string, std::string>> environment() override {
    return {{"DLT_PIPE_DIR", context_[0]}, {"DLT_LOG_MSG_BUF_LEN", context_[1]}};
  }
  std::vector<std::pair<std::string, std::uint64_t>> daemons() override {
    return {{"dlt-daemon", daemon_.pid()}};
  }

  // The daemon has written everything when its pipe is empty and its file stays as it is.
  void stop() override {
    std::uintmax_t before = 0;
    int same = 0;
    daemon_.wait_until("it had written everything", std::chrono::seconds(60), [&] {
      int waiting = 0;
      ioctl(pipe_, FIONREAD, &waiting);
      const std::uintmax_t now = fs::file_size(trace_file(folder_));
      same = waiting == 0 && now == std::exchange(before, now) ? same + 1 : 0;
      return same > 40;  // of 5 ms each
    });
    daemon_.stop();
  }

 private:
  // For the daemon's clients, of which there are none; it cannot be told to choose one itself.
  static std::string free_port() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool bound = bind(made, reinterpret_cast<const sockaddr*>(&address), size) == 0 &&
                       getsockname(made, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    ::close(made);
    if (!bound) throw std::runtime_error("no port of 127.0.0.1 is free for dlt-daemon");
    return std::to_string(ntohs(address.sin_port));
  }

  // The daemon takes an IPv6 socket where there is IPv6.
  static std::string loopback() {
    const int made = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (made < 0) return "127.0.0.1";
    ::close(made);
    return "::ffff:127.0.0.1";
  }

  static std::vector<std::string> command(const Context& context) {
    fs::create_directory(trace_folder(context));
    const std::string settings = context.directory() + "/dlt.conf";
    // One file, as long as may be. The daemon keeps in a second one that it writes such a file, and
    // collects nothing for clients.
    std::ofstream(settings) << "OfflineTraceDirectory = " << trace_folder(context).string()
                            << "\nOfflineTraceFileSize = 1000000000"
                               "\nOfflineTraceMaxSize = 2000000000\nBindAddress = "
                            << loopback() << "\nPersistanceStoragePath = " << context.directory()
                            << "\nControlSocketPath = " << context.directory() << "/control\n";
    std::ofstream(context.directory() + "/dlt-runtime.cfg") << "LoggingMode = 2\n";
    return {"/usr/bin/dlt-daemon", "-c", settings, "-t", context.directory(), "-p", free_port()};
  }

  std::string context_[2];
  fs::path folder_;
  Daemon daemon_;
  int pipe_ = -1;
};

class DltTrace : public Consumer {
 public:
  explicit DltTrace(const Context& context)
      : file_(trace_file(trace_folder(context)), std::ios::binary) {}

  std::int64_t poll(Visitor visitor) override {
    char bytes[1 << 16];
    file_.clear();
    file_.read(bytes, sizeof bytes);
    return messages_.take(
        {bytes, static_cast<std::size_t>(file_.gcount())},
        [&](std::string_view text) { visitor.event(text); },
        [&](std::size_t size_bytes) { visitor.damage(size_bytes); });
  }

  void finish(Visitor visitor) override {
    if (messages_.rest_bytes() > 0) visitor.damage(messages_.rest_bytes());
  }

 private:
  std::ifstream file_;
  DltMessages messages_{std::string(kApplication) + kContext};
};

}  // namespace

TAILGATE_PLUGIN_TABLE(table_of<Dlt, DltDaemon, DltTrace>(
    {.name = "dlt",
     .description = "DLT: a pipe to dlt-daemon, which writes its offline trace",
     .flags = TAILGATE_TEXT_EVENTS | TAILGATE_LIVE_READ | TAILGATE_ACCOUNTS_LOSSES |
              TAILGATE_ASYNCHRONOUS | TAILGATE_DEFERRED_WORK | TAILGATE_MAY_REFUSE,
     .read_back = TAILGATE_READ_CONSUMER,
     .library = kVersion,
     .options = kOptions,
     .refusal_causes = kRefusals}))
