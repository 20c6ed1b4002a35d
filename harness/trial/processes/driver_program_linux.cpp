#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "harness/base/error.h"
#include "harness/os/process.h"
#include "harness/os/shared_wait.h"
#include "harness/trial/memory_description.h"
#include "harness/trial/processes/driver_program.h"

namespace tailgate {
namespace {

struct Pipe {
  Pipe() {
    int ends[2];
    if (pipe(ends) != 0) {
      throw system_error("pipe", "to the driver's companion", errno, "raise the file limit");
    }
    reader = ends[0];
    writer = ends[1];
  }
  int reader;
  int writer;
};

// Both ends of each pipe belong to one process.
struct Pipes {
  Pipe wake;  // from the companion to the program
  Pipe told;  // back
};

// The process beside the program. It ends with it.
class Companion {
 public:
  Companion(TrialMemory& memory, const Pipes& pipes)
      : memory_(memory),
        header_(memory.header()),
        wake_(pipes.wake.writer),
        told_(pipes.told.reader) {
    close(pipes.wake.reader);
    close(pipes.told.writer);
  }

  void run() {
    header_.provider.memory_locked = memory_.memory().lock() ? 1 : 0;
    bind_threads();
    wake();
    std::uint32_t seen = 0;
    while (!told_ended(0)) {
      wait_while(header_.turn.granted, seen, std::chrono::milliseconds(200));
      const std::uint32_t granted = header_.turn.granted.load(std::memory_order_acquire);
      if (header_.stop.load(std::memory_order_relaxed) != 0) wake();
      if (granted == seen) continue;
      seen = granted;
      wake();
      if (granted <= memory_.plan().turns.count && !wait_for_word()) return;
    }
  }

 private:
  void wake() const {
    // A full pipe has bytes for the program to wake up by.
    static_cast<void>(!write(wake_, "g", 1));
  }

  // Whether the program has ended, which closes its end of the pipe.
  bool told_ended(int wait_ms) const {
    pollfd told = {.fd = told_, .events = 0, .revents = 0};
    return poll(&told, 1, wait_ms) > 0 && (told.revents & POLLHUP) != 0;
  }

  // Waits until the program says that its turn is done. Returns false if it has ended.
  bool wait_for_word() const {
    char word = 0;
    while (read(told_, &word, 1) < 0) {
      if (errno != EINTR) return false;
    }
    if (word == 0) return false;
    wake_all(header_.turn.done);
    return true;
  }

  // Binds each load thread once the program has written its number.
  void bind_threads() const {
    const std::vector<int> cpus = cpu_list(memory_.plan().load_cpus);
    for (unsigned number = 0; number < memory_.plan().load.threads; ++number) {
      std::uint32_t thread = 0;
      while ((thread = memory_.thread(number).os_thread.load(std::memory_order_acquire)) == 0) {
        if (told_ended(1)) return;
      }
      if (cpus.empty()) continue;
      cpu_set_t set;
      CPU_ZERO(&set);
      CPU_SET(static_cast<unsigned>(cpus[number % cpus.size()]), &set);
      // If it fails, the thread stays where it is.
      sched_setaffinity(static_cast<pid_t>(thread), sizeof set, &set);
    }
  }

  TrialMemory& memory_;
  TrialHeader& header_;
  int wake_;
  int told_;
};

void start_companion(TrialMemory& memory, const Pipes& pipes) {
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) {
    throw system_error("fork", "the driver's companion", errno, "raise the process limit");
  }
  if (child > 0) {
    close(pipes.wake.writer);
    close(pipes.told.reader);
    return;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGPIPE, SIG_IGN);
  fcntl(pipes.wake.writer, F_SETFL, O_NONBLOCK);
  if (getppid() == parent) {
    name_this_thread("tg-companion");
    Companion(memory, pipes).run();
  }
  _exit(0);
}

std::string path_of(int descriptor) {
  return fmt::format("/proc/self/fd/{}", descriptor);
}

void keep_open(const SharedMemory& memory) {
  fcntl(static_cast<int>(memory.native()), F_SETFD, 0);
}

DescriptionLines describe_paths(TrialMemory& memory, const SharedMemory& schedule,
                                const Pipes& pipes) {
  return {{"format", std::to_string(kDescriptionVersion)},
          {"memory.path", path_of(static_cast<int>(memory.memory().native()))},
          {"memory.bytes", std::to_string(memory.memory().size_bytes())},
          {"schedule.path", path_of(static_cast<int>(schedule.native()))},
          {"schedule.bytes", std::to_string(schedule.size_bytes())},
          {"wake.path", path_of(pipes.wake.reader)},
          {"told.path", path_of(pipes.told.writer)}};
}

std::filesystem::path write_description(const std::filesystem::path& directory,
                                        const DescriptionLines& lines) {
  const std::filesystem::path path = std::filesystem::absolute(directory / "driver.txt");
  std::ofstream file(path, std::ios::trunc);
  file << description_text(lines);
  file.close();
  if (!file) {
    throw system_error("write", path.string(), errno, "choose another --scratch folder");
  }
  return path;
}

[[noreturn]] void execute(const DriverProgram& program, const std::filesystem::path& description) {
  setenv(kDriverVariable, description.c_str(), 1);
  if (chdir(program.directory.c_str()) != 0) {
    throw system_error("chdir", program.directory.string(), errno, "check the folder");
  }
  std::vector<char*> arguments;
  for (const std::string& argument : program.command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  execvp(arguments.front(), arguments.data());
  throw system_error("execvp", program.command.front(), errno,
                     "install the program, or correct the sink's command");
}

}  // namespace

void become_driver(TrialMemory& memory, const TrialSink& sink, const DriverProgram& program) {
  const WrittenSchedule schedule(memory.plan(), sink.context.encoding);
  const SharedMemory schedule_memory = schedule.write();
  const Pipes pipes;
  DescriptionLines lines = describe_paths(memory, schedule_memory, pipes);
  for (DescriptionLines part :
       {describe_sink_for_driver(sink, program), describe_load_for_driver(memory.plan(), schedule),
        describe_memory(memory)}) {
    lines.insert(lines.end(), part.begin(), part.end());
  }
  const std::filesystem::path description = write_description(sink.context.directory, lines);
  start_companion(memory, pipes);
  keep_open(memory.memory());
  keep_open(schedule_memory);
  execute(program, description);
}

}  // namespace tailgate
