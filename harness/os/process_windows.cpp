#include <fmt/format.h>

#include <atomic>

#include "harness/os/api_windows.h"

// After windows.h, whose types they need.
#include <timeapi.h>

#include "harness/os/command_line_windows.h"
#include "harness/os/install_paths.h"
#include "harness/os/library_windows.h"
#include "harness/os/process.h"

namespace tailgate {
namespace {

// A process that another process ends gets an exit code that the other chooses. These codes count
// as ended by another process: our own, a closed console or Ctrl-C, and the end of the user's
// session (ntstatus.h).
constexpr DWORD kEndedByUs = 0xC000010A;
constexpr DWORD kEndedByConsole = 0xC000013A;
constexpr DWORD kEndedByLogOff = 0x40010004;

std::atomic<bool> interrupted{false};

BOOL WINAPI on_interrupt(DWORD) {
  return interrupted.exchange(true) ? FALSE : TRUE;  // FALSE: the default handler ends the process
}

HANDLE handle_of(std::intptr_t process) {
  return reinterpret_cast<HANDLE>(process);
}

// Codes from 0x40000000 on mean that the system ended the process; lower ones are exit codes.
ChildEnd end_from_code(DWORD code) {
  return {.exited = code < 0x40000000, .code = static_cast<int>(code)};
}

std::string_view exception_name(DWORD code) {
  switch (code) {
    case EXCEPTION_ACCESS_VIOLATION:
      return " (access violation)";
    case EXCEPTION_STACK_OVERFLOW:
      return " (stack overflow)";
    case EXCEPTION_ILLEGAL_INSTRUCTION:
      return " (illegal instruction)";
    case EXCEPTION_INT_DIVIDE_BY_ZERO:
      return " (division by zero)";
    case EXCEPTION_IN_PAGE_ERROR:
      return " (page that cannot be read)";
    case 0xC0000409:
      return " (fast fail, as by abort)";
    case kEndedByUs:
      return " (ended by another process)";
    case kEndedByConsole:
      return " (ended by its console)";
    case kEndedByLogOff:
      return " (ended with the user's session)";
    default:
      return "";
  }
}

// All children are in this job. When this process ends in any way, the system closes the job's
// handle and the kernel ends the children.
HANDLE children_job() {
  static const Handle job = [] {
    Handle created(CreateJobObjectW(nullptr, nullptr));
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {};
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    if (!created || SetInformationJobObject(created.get(), JobObjectExtendedLimitInformation,
                                            &limits, sizeof limits) == 0) {
      throw windows_error("CreateJobObjectW", "tailgate", GetLastError(), "close other programs");
    }
    return created;
  }();
  return job.get();
}

// The list of handles that a child inherits. Without it a child inherits all inheritable handles.
class InheritedHandles {
 public:
  explicit InheritedHandles(std::vector<HANDLE> handles) : handles_(std::move(handles)) {
    SIZE_T bytes = 0;
    InitializeProcThreadAttributeList(nullptr, 1, 0, &bytes);
    storage_.resize(bytes);
    if (InitializeProcThreadAttributeList(list(), 1, 0, &bytes) == 0 ||
        UpdateProcThreadAttribute(list(), 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles_.data(),
                                  handles_.size() * sizeof(HANDLE), nullptr, nullptr) == 0) {
      throw windows_error("UpdateProcThreadAttribute", "handles of a child", GetLastError(),
                          "close other programs");
    }
  }
  ~InheritedHandles() { DeleteProcThreadAttributeList(list()); }
  InheritedHandles(const InheritedHandles&) = delete;
  InheritedHandles& operator=(const InheritedHandles&) = delete;

  LPPROC_THREAD_ATTRIBUTE_LIST list() {
    return reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(storage_.data());
  }

 private:
  std::vector<HANDLE> handles_;  // the attribute refers to them
  std::vector<std::byte> storage_;
};

Handle open_inheritable(const wchar_t* path, DWORD access, DWORD how) {
  SECURITY_ATTRIBUTES inheritable = {sizeof inheritable, nullptr, TRUE};
  return Handle(CreateFileW(path, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                            &inheritable, how, FILE_ATTRIBUTE_NORMAL, nullptr));
}

// A second handle of this process's standard error.
Handle inheritable_error_stream() {
  HANDLE copy = nullptr;
  const HANDLE self = GetCurrentProcess();
  const HANDLE stream = GetStdHandle(STD_ERROR_HANDLE);
  if (DuplicateHandle(self, stream, self, &copy, 0, TRUE, DUPLICATE_SAME_ACCESS) == 0) {
    return open_inheritable(L"NUL", FILE_APPEND_DATA | SYNCHRONIZE, OPEN_EXISTING);
  }
  return Handle(copy);
}

// Creates the child process suspended before its first instruction.
PROCESS_INFORMATION create_suspended(const std::filesystem::path& program,
                                     const ChildOptions& options, HANDLE input, HANDLE output) {
  std::vector<HANDLE> handles = {input, output};
  for (const std::intptr_t inherited : options.inherited) handles.push_back(handle_of(inherited));
  InheritedHandles attributes(std::move(handles));
  STARTUPINFOEXW startup = {};
  startup.StartupInfo.cb = sizeof startup;
  startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
  startup.StartupInfo.hStdInput = input;
  startup.StartupInfo.hStdOutput = output;
  startup.StartupInfo.hStdError = output;
  startup.lpAttributeList = attributes.list();
  std::vector<std::string> arguments = options.arguments;
  arguments.insert(arguments.begin(), "tailgate");
  std::wstring command_line = command_line_of(arguments);
  std::wstring environment = environment_with(options.environment);
  // In its own process group the child does not get the console's Ctrl-C.
  constexpr DWORD kFlags = CREATE_SUSPENDED | CREATE_UNICODE_ENVIRONMENT |
                           CREATE_NEW_PROCESS_GROUP | EXTENDED_STARTUPINFO_PRESENT;
  PROCESS_INFORMATION created = {};
  if (CreateProcessW(program.c_str(), command_line.data(), nullptr, nullptr, TRUE, kFlags,
                     environment.data(), nullptr, &startup.StartupInfo, &created) == 0) {
    throw windows_error("CreateProcessW", program.string(), GetLastError(),
                        "give a program for this system, or close other programs");
  }
  return created;
}

}  // namespace

std::string ChildEnd::text() const {
  if (exited) return fmt::format("exit code {}", code);
  const auto number = static_cast<DWORD>(code);
  return fmt::format("status {:#x}{}", number, exception_name(number));
}

bool ChildEnd::killed() const {
  const auto number = static_cast<DWORD>(code);
  return !exited && (number == kEndedByUs || number == kEndedByConsole || number == kEndedByLogOff);
}

Child Child::start(const ChildOptions& options) {
  const std::filesystem::path program =
      options.program.empty() ? executable_path() : options.program;
  const Handle output =
      options.output.empty()
          ? inheritable_error_stream()
          : open_inheritable(options.output.c_str(), FILE_APPEND_DATA | SYNCHRONIZE, OPEN_ALWAYS);
  if (!output) {
    throw windows_error("CreateFileW", options.output.string(), GetLastError(),
                        "choose another --scratch folder");
  }
  const Handle input = open_inheritable(L"NUL", GENERIC_READ, OPEN_EXISTING);
  const HANDLE job = children_job();
  const PROCESS_INFORMATION created = create_suspended(program, options, input.get(), output.get());
  const Handle thread(created.hThread);
  Child child(reinterpret_cast<std::intptr_t>(created.hProcess),
              static_cast<int>(created.dwProcessId));
  if (AssignProcessToJobObject(job, created.hProcess) == 0) {
    throw windows_error("AssignProcessToJobObject", program.string(), GetLastError(),
                        "run tailgate outside of a job that forbids nested jobs");
  }
  ResumeThread(thread.get());
  return child;
}

Child::~Child() {
  if (process_ == 0) return;
  if (!end_) kill();
  CloseHandle(handle_of(process_));
}

std::optional<ChildEnd> Child::poll() {
  if (end_) return end_;
  DWORD code = 0;
  if (WaitForSingleObject(handle_of(process_), 0) == WAIT_OBJECT_0 &&
      GetExitCodeProcess(handle_of(process_), &code) != 0) {
    end_ = end_from_code(code);
  }
  return end_;
}

ChildEnd Child::kill() {
  if (std::optional<ChildEnd> end = poll()) return *end;
  TerminateProcess(handle_of(process_), kEndedByUs);
  WaitForSingleObject(handle_of(process_), INFINITE);
  if (!poll()) end_ = end_from_code(kEndedByUs);
  return *end_;
}

InterruptFlag::InterruptFlag() {
  interrupted = false;
  SetConsoleCtrlHandler(on_interrupt, TRUE);
}

InterruptFlag::~InterruptFlag() {
  SetConsoleCtrlHandler(on_interrupt, FALSE);
}

bool InterruptFlag::raised() {
  return interrupted.load(std::memory_order_relaxed);
}

int run_program(std::vector<std::string> arguments) {
  std::wstring command_line = command_line_of(arguments);
  STARTUPINFOW startup = {};
  startup.cb = sizeof startup;
  PROCESS_INFORMATION created = {};
  if (CreateProcessW(nullptr, command_line.data(), nullptr, nullptr, TRUE, 0, nullptr, nullptr,
                     &startup, &created) == 0) {
    throw windows_error("CreateProcessW", arguments.front(), GetLastError(),
                        "install it, in a folder that PATH names");
  }
  const Handle process(created.hProcess);
  const Handle thread(created.hThread);
  WaitForSingleObject(process.get(), INFINITE);
  DWORD code = 0;
  GetExitCodeProcess(process.get(), &code);
  return static_cast<int>(code);
}

std::optional<std::filesystem::path> find_program(const std::string& name) {
  constexpr DWORD kMostCharacters = 32'768;  // of a path and of a variable
  std::wstring folders(kMostCharacters, L'\0');
  folders.resize(GetEnvironmentVariableW(L"PATH", folders.data(), kMostCharacters));
  if (folders.empty() || folders.size() >= kMostCharacters) return {};
  // Without folders of ours the search begins in the current one, where anybody's program may lie.
  std::wstring path(kMostCharacters, L'\0');
  const DWORD length = SearchPathW(folders.c_str(), wide(name).c_str(), L".exe", kMostCharacters,
                                   path.data(), nullptr);
  if (length == 0 || length >= kMostCharacters) return {};
  path.resize(length);
  return std::filesystem::path(path);
}

void prepare_process() {}

void prepare_child_process() {
  SetConsoleCtrlHandler(nullptr, TRUE);
  // A crash ends the process at once instead of showing a dialog.
  SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);
  timeBeginPeriod(1);  // milliseconds
}

int this_process_number() {
  return static_cast<int>(GetCurrentProcessId());
}

std::uint32_t this_thread_number() {
  return GetCurrentThreadId();
}

void name_this_thread(const std::string& name) {
  // Windows 10 1607 and later.
  using SetName = HRESULT(WINAPI*)(HANDLE, const wchar_t*);
  static const auto set_name = library_function<SetName>(L"kernel32.dll", "SetThreadDescription");
  if (set_name != nullptr) set_name(GetCurrentThread(), wide(name).c_str());
}

std::size_t open_descriptors() {
  DWORD handles = 0;
  GetProcessHandleCount(GetCurrentProcess(), &handles);
  return handles;
}

std::optional<std::uint64_t> process_cpu_ns(int pid) {
  constexpr DWORD kAccess = PROCESS_QUERY_LIMITED_INFORMATION | SYNCHRONIZE;
  const Handle process(OpenProcess(kAccess, FALSE, static_cast<DWORD>(pid)));
  FILETIME created, exited, kernel, user;
  // A process that has ended can be opened as long as anybody has a handle to it.
  if (!process || WaitForSingleObject(process.get(), 0) == WAIT_OBJECT_0) return {};
  if (GetProcessTimes(process.get(), &created, &exited, &kernel, &user) == 0) return {};
  return ns_of(kernel) + ns_of(user);
}

}  // namespace tailgate
