#include "harness/os/command.h"

#include "harness/os/affinity.h"
#include "harness/os/api_windows.h"

namespace tailgate {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr DWORD kPollIntervalMs = 100;
constexpr UINT kEndedByUs = 0xC000010A;

Handle open_inheritable(const std::filesystem::path& path, DWORD access, DWORD how) {
  SECURITY_ATTRIBUTES inheritable = {sizeof inheritable, nullptr, TRUE};
  Handle file(CreateFileW(path.c_str(), access, FILE_SHARE_READ | FILE_SHARE_WRITE, &inheritable,
                          how, FILE_ATTRIBUTE_NORMAL, nullptr));
  if (!file) {
    throw windows_error("CreateFileW", path.string(), GetLastError(),
                        "choose another --scratch folder");
  }
  return file;
}

// When its handle is closed, the kernel ends the processes in it.
Handle make_job(const std::string& command) {
  Handle job(CreateJobObjectW(nullptr, nullptr));
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {};
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  if (!job || SetInformationJobObject(job.get(), JobObjectExtendedLimitInformation, &limits,
                                      sizeof limits) == 0) {
    throw windows_error("CreateJobObjectW", command, GetLastError(), "close other programs");
  }
  return job;
}

// The processor set of the command's first process, which those that it starts inherit.
void bind_process(HANDLE process, const std::vector<int>& cpus) {
  constexpr int kGroupSize = 64;
  DWORD_PTR mask = 0;
  for (const int cpu : cpus) mask |= DWORD_PTR{1} << (cpu % kGroupSize);
  if (mask != 0 && SetProcessAffinityMask(process, mask) == 0) {
    throw windows_error("SetProcessAffinityMask", format_cpu_list(cpus), GetLastError(),
                        "choose others with --load-cpus");
  }
}

// The shell in its job, before its first instruction.
PROCESS_INFORMATION create_suspended(const CommandOptions& options) {
  const Handle input = open_inheritable("NUL", GENERIC_READ, OPEN_EXISTING);
  const Handle output = open_inheritable(options.output, GENERIC_WRITE, CREATE_ALWAYS);
  const Handle log =
      options.log.empty() ? Handle() : open_inheritable(options.log, GENERIC_WRITE, CREATE_ALWAYS);
  STARTUPINFOW startup = {};
  startup.cb = sizeof startup;
  startup.dwFlags = STARTF_USESTDHANDLES;
  startup.hStdInput = input.get();
  startup.hStdOutput = output.get();
  startup.hStdError = options.log.empty() ? output.get() : log.get();
  std::wstring line = L"cmd.exe /d /s /c \"" + wide(options.command) + L"\"";
  constexpr DWORD kFlags = CREATE_SUSPENDED | CREATE_NEW_PROCESS_GROUP;
  const wchar_t* directory = options.directory.empty() ? nullptr : options.directory.c_str();
  PROCESS_INFORMATION created = {};
  if (CreateProcessW(nullptr, line.data(), nullptr, nullptr, TRUE, kFlags, nullptr, directory,
                     &startup, &created) == 0) {
    throw windows_error("CreateProcessW", options.command, GetLastError(), "close other programs");
  }
  return created;
}

CommandStop wait_for(HANDLE process, SteadyClock::time_point deadline) {
  while (WaitForSingleObject(process, kPollIntervalMs) != WAIT_OBJECT_0) {
    if (InterruptFlag::raised()) return CommandStop::interrupted;
    if (SteadyClock::now() >= deadline) return CommandStop::timed_out;
  }
  return CommandStop::none;
}

std::uint64_t cpu_ns_of(HANDLE job) {
  JOBOBJECT_BASIC_ACCOUNTING_INFORMATION used = {};
  if (QueryInformationJobObject(job, JobObjectBasicAccountingInformation, &used, sizeof used,
                                nullptr) == 0) {
    return 0;
  }
  return static_cast<std::uint64_t>(used.TotalUserTime.QuadPart + used.TotalKernelTime.QuadPart) *
         100;
}

}  // namespace

CommandEnd run_command(const CommandOptions& options) {
  const Handle job = make_job(options.command);
  const SteadyClock::time_point begin = SteadyClock::now();
  const PROCESS_INFORMATION created = create_suspended(options);
  const Handle process(created.hProcess);
  const Handle thread(created.hThread);
  if (AssignProcessToJobObject(job.get(), process.get()) == 0) {
    const DWORD failed = GetLastError();
    TerminateProcess(process.get(), kEndedByUs);
    throw windows_error("AssignProcessToJobObject", options.command, failed,
                        "run tailgate outside of a job that forbids nested jobs");
  }
  bind_process(process.get(), options.cpus);
  if (options.before_start) options.before_start(static_cast<int>(created.dwProcessId));
  ResumeThread(thread.get());
  CommandEnd result;
  result.stop = wait_for(process.get(), begin + options.limit);
  result.wall_ns = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(SteadyClock::now() - begin).count());
  result.cpu_ns = cpu_ns_of(job.get());
  TerminateJobObject(job.get(), kEndedByUs);
  WaitForSingleObject(process.get(), INFINITE);
  DWORD code = kEndedByUs;
  GetExitCodeProcess(process.get(), &code);
  // Codes from 0x40000000 on mean that the system ended the process.
  result.end = {.exited = code < 0x40000000, .code = static_cast<int>(code)};
  return result;
}

}  // namespace tailgate
