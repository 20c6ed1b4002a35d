// syslog-ng: the caller sends what syslog(3) sends to a socket, and the daemon writes the file.
#include <ctime>
#include <fstream>
#include <memory>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "daemon.hpp"
#include "logger.hpp"

namespace {

using namespace loggers;

const tailgate_option kOptions[] = {
    {"flow_control", TAILGATE_BOOLEAN, "false",
     "whether a full queue stops the reading from the socket, or drops events", 0, 0, nullptr},
    {"queue_events", TAILGATE_INTEGER, "10000", "log-fifo-size: capacity of the file's queue", 16,
     1 << 24, nullptr},
    {}};
const char* const kRefusals[] = {"closed", "send failed", nullptr};

std::string in_folder(const Context& context, const char* name) {
  return context.directory() + "/" + name;
}

// A connected socket; -1: there is nobody.
int connected(const std::string& path, int type) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    throw std::runtime_error("'" + path + "' is too long for a socket, choose another --scratch");
  }
  path.copy(address.sun_path, path.size());
  const int made = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
  if (connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return made;
  close(made);
  return -1;
}

class Sender : public Provider {
 public:
  explicit Sender(const Context& context)
      : counts_(in_folder(context, "sent")),
        sent_(context.threads()),
        socket_(connected(in_folder(context, "log"), SOCK_DGRAM)) {
    if (socket_ < 0) throw std::runtime_error("nobody listens at the daemon's socket");
  }
  ~Sender() override { Sender::close(); }

  std::uint8_t emit(unsigned thread, Event event) {
    if (socket_ < 0) return kClosed;
    char head[64];
    const std::time_t now = std::time(nullptr);
    std::tm local;
    const std::size_t head_bytes =
        std::strftime(head, sizeof head, "<14>%h %e %T app: ", localtime_r(&now, &local));
    iovec parts[] = {{head, head_bytes}, {const_cast<void*>(event.data), event.size_bytes}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    if (sendmsg(socket_, &message, MSG_NOSIGNAL) < 0) return 2;
    ++sent_[thread].events;
    return kAccepted;
  }

  // Tells the session how many events it must wait for.
  void close() override {
    if (socket_ < 0) return;
    ::close(std::exchange(socket_, -1));
    std::uint64_t all = 0;
    for (const Count& count : sent_) all += count.events;
    std::ofstream(counts_, std::ios::app) << all << '\n';
  }

 private:
  struct alignas(64) Count {
    std::uint64_t events = 0;
  };
  std::string counts_;
  std::vector<Count> sent_;
  int socket_;
};

class SyslogNg : public Session {
 public:
  explicit SyslogNg(const Context& context)
      : control_(in_folder(context, "control")),
        counts_(in_folder(context, "sent")),
        daemon_(command(context), in_folder(context, "syslog-ng.log")) {
    daemon_.wait_until("it listened", std::chrono::seconds(20), [&] {
      struct stat ignored;
      return stat(in_folder(context, "log").c_str(), &ignored) == 0 && !statistics().empty();
    });
  }

  std::vector<std::pair<std::string, std::uint64_t>> daemons() override {
    return {{"syslog-ng", daemon_.pid()}};
  }

  // Everything that was sent has been read when the source says so, and written when the file's
  // queue is empty.
  void stop() override {
    std::uint64_t sent = 0;
    std::ifstream counts(counts_);
    for (std::uint64_t one; counts >> one;) sent += one;
    daemon_.wait_until("it had written everything", std::chrono::seconds(60), [&] {
      const std::string now = statistics();
      dropped_ = counter(now, "dst.file;", "dropped");
      return counter(now, "src.unix-dgram;", "processed") >= sent &&
             counter(now, "dst.file;", "written") + dropped_ >= sent;
    });
    daemon_.stop();
  }

  std::vector<Loss> losses() override { return {{"queue full", dropped_}}; }

 private:
  static std::vector<std::string> command(const Context& context) {
    const std::string settings = in_folder(context, "syslog-ng.conf");
    std::ofstream(settings) << "@version: current\n"
                               "options { stats-freq(0); stats-level(1); log-msg-size(131072); };\n"
                            << "source events { unix-dgram(\"" << in_folder(context, "log")
                            << "\"); };\n"
                            << "destination file { file(\"" << context.log_path()
                            << "\" log-fifo-size(" << context.text("queue_events") << ")); };\n"
                            << "log { source(events); destination(file); flags("
                            << (context.boolean("flow_control") ? "flow-control" : "") << "); };\n";
    return {"/usr/bin/env",
            "LD_LIBRARY_PATH=" SYSLOG_NG_ROOT "/usr/lib/syslog-ng",
            SYSLOG_NG_ROOT "/usr/sbin/syslog-ng",
            "-F",
            "--no-caps",
            "-f",
            settings,
            "--module-path",
            SYSLOG_NG_MODULES,
            "--persist-file",
            in_folder(context, "persist"),
            "--control",
            in_folder(context, "control"),
            "--pidfile",
            in_folder(context, "pid")};
  }

  // The daemon's counters, a line each; empty if it does not answer.
  std::string statistics() const {
    const int control = connected(control_, SOCK_STREAM);
    if (control < 0) return {};
    std::string text;
    if (send(control, "STATS\n", 6, MSG_NOSIGNAL) == 6) {
      char bytes[4096];
      for (ssize_t got; !text.ends_with("\n.\n") && (got = read(control, bytes, sizeof bytes)) > 0;)
        text.append(bytes, static_cast<std::size_t>(got));
    }
    close(control);
    return text;
  }

  // "SOURCE;id;instance;a;NAME;NUMBER"; 0 if there is no such line.
  static std::uint64_t counter(const std::string& text, const std::string& source,
                               const std::string& name) {
    for (std::size_t at = text.find(source); at != std::string::npos;
         at = text.find(source, at + 1)) {
      const std::string line = text.substr(at, text.find('\n', at) - at);
      const std::size_t found = line.find(";" + name + ";");
      if (found != std::string::npos) {
        return std::strtoull(line.c_str() + found + name.size() + 2, nullptr, 10);
      }
    }
    return 0;
  }

  std::string control_;
  std::string counts_;
  Daemon daemon_;
  std::uint64_t dropped_ = 0;
};

}  // namespace

TAILGATE_PLUGIN_TABLE(table_of<Sender, SyslogNg>(
    {.name = "syslog_ng",
     .description = "syslog-ng: a datagram to its socket, which it writes to a file",
     .flags = TAILGATE_TEXT_EVENTS | TAILGATE_LIVE_READ | TAILGATE_ACCOUNTS_LOSSES |
              TAILGATE_DEFERRED_WORK | TAILGATE_MAY_REFUSE,
     .read_back = TAILGATE_READ_LINES,
     .library = kVersion,
     .options = kOptions,
     .refusal_causes = kRefusals}))
