#include "providers/shared/tracefs/rival.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>

#include "harness/base/error.h"
#include "harness/os/shared_wait.h"

namespace tailgate::tracefs {
namespace {

constexpr const char* kRemedy = "see the kernel's log";
constexpr std::chrono::milliseconds kLook{100};

struct ControllerAnswer {
  bool failed = false;
  char what[512] = {};
};

bool send_answer(int socket, const char* failure) {
  ControllerAnswer answer;
  if (failure != nullptr) {
    answer.failed = true;
    std::string(failure).copy(answer.what, sizeof answer.what - 1);
  }
  return send(socket, &answer, sizeof answer, MSG_NOSIGNAL) == sizeof answer;
}

// Waits for a word of the other side; false when that side is gone.
bool hears(int socket) {
  char word = 0;
  ssize_t bytes = 0;
  do {
    bytes = recv(socket, &word, sizeof word, 0);
  } while (bytes < 0 && errno == EINTR);
  return bytes > 0;
}

// The controller's process. It ends when the other side of the socket is gone, however that went.
[[noreturn]] void control(int socket, const std::filesystem::path& directory,
                          const InstanceOptions& how) {
  signal(SIGINT, SIG_IGN);
  try {
    const Instance instance(directory, how);
    bool heard = send_answer(socket, nullptr);
    while (heard && hears(socket)) {
      instance.record(false);
      heard = send_answer(socket, nullptr);
    }
  } catch (const Error& error) {
    send_answer(socket, error.what_failed().c_str());
  } catch (const std::exception& error) {
    send_answer(socket, error.what());
  }
  _exit(0);
}

}  // namespace

RivalController::RivalController(const std::filesystem::path& directory,
                                 const InstanceOptions& how) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    throw system_error("socketpair", "tracefs", errno, "raise the limit of open files");
  }
  process_ = fork();
  const int failed = errno;
  if (process_ == 0) {
    close(ends[0]);
    control(ends[1], directory, how);
  }
  close(ends[1]);
  socket_ = ends[0];
  if (process_ < 0) {
    close(socket_);
    throw system_error("fork", "tracefs", failed, "raise the process limit");
  }
  try {
    read_answer();
  } catch (const Error&) {
    leave();
    throw;
  }
}

RivalController::~RivalController() {
  leave();
}

void RivalController::leave() noexcept {
  close(socket_);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void RivalController::end() {
  const char word = 0;
  if (send(socket_, &word, sizeof word, MSG_NOSIGNAL) != sizeof word) {
    throw Error("the process that controls the second instance is gone", kRemedy);
  }
  read_answer();
}

void RivalController::read_answer() const {
  ControllerAnswer answer;
  ssize_t bytes = 0;
  do {
    bytes = recv(socket_, &answer, sizeof answer, 0);
  } while (bytes < 0 && errno == EINTR);
  if (bytes != sizeof answer) {
    throw Error("the process that controls the second instance gave no answer", kRemedy);
  }
  if (answer.failed) throw Error(answer.what, kRemedy);
}

RivalCall::RivalCall(const std::filesystem::path& directory)
    : file_(directory / ".tracefs.rival", 4096) {
  constexpr std::size_t kOffset = 64;  // extend() may write the first byte of a page
  file_.extend(4096);
  state_ = reinterpret_cast<State*>(file_.data() + kOffset);
}

void RivalCall::say(Said what) {
  state_->said.store(what, std::memory_order_release);
  wake();
}

RivalCall::Said RivalCall::said() const {
  return static_cast<Said>(state_->said.load(std::memory_order_acquire));
}

void RivalCall::wait_while_said(Said what, std::chrono::nanoseconds at_most) const {
  wait_while(state_->said, what, at_most);
}

void RivalCall::wake() {
  wake_all(state_->said);
}

void RivalCall::answer(bool listens) {
  if (!listens) state_->refusals.fetch_add(1, std::memory_order_release);
  state_->answers.fetch_add(1, std::memory_order_release);
  wake_all(state_->answers);
}

void RivalCall::wait_for_programs(unsigned programs, std::chrono::nanoseconds at_most) const {
  const auto give_up = std::chrono::steady_clock::now() + at_most;
  std::uint32_t answers = 0;
  while ((answers = state_->answers.load(std::memory_order_acquire)) < programs) {
    if (std::chrono::steady_clock::now() > give_up) {
      throw Error(fmt::format("{} of {} programs have opened the second instance's marker", answers,
                              programs),
                  "look at what the programs do");
    }
    wait_while(state_->answers, answers, kLook);
  }
  if (state_->refusals.load(std::memory_order_acquire) > 0) {
    throw Error("a program cannot open the second instance's marker", kRemedy);
  }
}

RivalListener::RivalListener(const std::filesystem::path& directory, std::function<Handle()> open)
    : call_(directory), open_(std::move(open)), thread_([this] { run(); }) {}

RivalListener::~RivalListener() {
  stopped_ = true;
  call_.wake();
  thread_.join();
}

void RivalListener::run() {
  while (!stopped_ && call_.said() == RivalCall::kNothing) {
    call_.wait_while_said(RivalCall::kNothing, kLook);
  }
  if (stopped_ || call_.said() != RivalCall::kListen) return;
  try {
    file_ = open_();
    marker_.store(file_.native(), std::memory_order_release);
    call_.answer(true);
  } catch (const std::exception&) {
    call_.answer(false);
    return;
  }
  while (!stopped_ && call_.said() == RivalCall::kListen) {
    call_.wait_while_said(RivalCall::kListen, kLook);
  }
  // A call may write to it at this moment, so it stays open.
  marker_.store(-1, std::memory_order_release);
}

}  // namespace tailgate::tracefs
