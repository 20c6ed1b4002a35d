#include "harness/profile/process_image_linux.h"

#include <cxxabi.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "harness/profile/samples.h"

namespace tailgate::profile {
namespace {

constexpr std::size_t kMaxFrames = 128;
constexpr std::size_t kMaxNameBytes = 400;

struct Freed {
  void operator()(char* text) const { std::free(text); }
};

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, Freed> text(abi::__cxa_demangle(name, nullptr, nullptr, &status));
  std::string shown = text == nullptr ? name : text.get();
  if (shown.size() > kMaxNameBytes) shown.resize(kMaxNameBytes);
  return shown;
}

std::string file_name(std::string_view path) {
  const std::string_view deleted = " (deleted)";
  if (path.ends_with(deleted)) path.remove_suffix(deleted.size());
  if (path.starts_with("[vdso")) return kVdso;
  return std::string(path.substr(path.rfind('/') + 1));
}

// What the callbacks of one stack read.
struct Unwinding {
  const PerfSample* sample = nullptr;
  UserStack stack;
};

pid_t next_thread(Dwfl*, void* argument, void** thread_argument) {
  if (*thread_argument != nullptr) return 0;
  *thread_argument = argument;
  return static_cast<pid_t>(static_cast<Unwinding*>(argument)->sample->thread);
}

bool get_thread(Dwfl*, pid_t, void* argument, void** thread_argument) {
  *thread_argument = argument;
  return true;
}

bool read_memory(Dwfl*, Dwarf_Addr address, Dwarf_Word* word, void* argument) {
  const PerfSample& sample = *static_cast<Unwinding*>(argument)->sample;
  const std::uint64_t begin = sample.registers[kStackPointer];
  const std::uint64_t at = address - begin;
  if (address < begin || sample.stack.size() < sizeof *word ||
      at > sample.stack.size() - sizeof *word) {
    return false;
  }
  std::memcpy(word, sample.stack.data() + at, sizeof *word);
  return true;
}

bool set_registers(Dwfl_Thread* thread, void* argument) {
  const PerfSample& sample = *static_cast<Unwinding*>(argument)->sample;
  return dwfl_thread_state_registers(thread, 0, static_cast<unsigned>(sample.registers.size()),
                                     sample.registers.data());
}

int add_frame(Dwfl_Frame* frame, void* argument) {
  UserStack& stack = static_cast<Unwinding*>(argument)->stack;
  Dwarf_Addr address = 0;
  if (!dwfl_frame_pc(frame, &address, nullptr)) return DWARF_CB_ABORT;
  stack.addresses.push_back(address);
  return stack.addresses.size() < kMaxFrames ? DWARF_CB_OK : DWARF_CB_ABORT;
}

constexpr Dwfl_Thread_Callbacks kThreadCallbacks = {.next_thread = next_thread,
                                                    .get_thread = get_thread,
                                                    .memory_read = read_memory,
                                                    .set_initial_registers = set_registers,
                                                    .detach = nullptr,
                                                    .thread_detach = nullptr};

// Separate symbols are looked for on this machine only: the standard callback may ask a server.
constexpr Dwfl_Callbacks kCallbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                       .find_debuginfo = dwfl_build_id_find_debuginfo,
                                       .section_address = nullptr,
                                       .debuginfo_path = nullptr};

// The file that the process runs; empty if it has ended.
std::string program_of(int pid) {
  std::error_code failed;
  return std::filesystem::read_symlink(fmt::format("/proc/{}/exe", pid), failed).string();
}

int open_file(Dwfl_Module* module, void**, const char*, Dwarf_Addr, void*) {
  GElf_Addr bias = 0;
  dwfl_module_getelf(module, &bias);
  return DWARF_CB_OK;
}

}  // namespace

class ProcessImage::Modules {
 public:
  explicit Modules(int pid) : pid_(pid), session_(dwfl_begin(&kCallbacks)) {
    dwfl_report_begin(session_);
    report();
  }
  Modules(const Modules&) = delete;
  Modules& operator=(const Modules&) = delete;
  ~Modules() { dwfl_end(session_); }

  void refresh() {
    dwfl_report_begin_add(session_);
    report();
    dwfl_getmodules(session_, open_file, nullptr, 0);
  }

  UserFunction function_at(std::uint64_t address) {
    Dwfl_Module* const module = dwfl_addrmodule(session_, address);
    if (module == nullptr) return {"[?]", "?"};
    const char* const path =
        dwfl_module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
    UserFunction function{.name = "", .module = path == nullptr ? "?" : file_name(path)};
    GElf_Off offset = 0;
    GElf_Sym symbol{};
    const char* const name =
        dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
    // Without a size the symbol need not reach as far as to the address.
    const bool found =
        name != nullptr && *name != '\0' && offset < std::max<GElf_Xword>(symbol.st_size, 1U << 12);
    function.name = found ? demangled(name) : "[" + function.module + "]";
    return function;
  }

  UserStack unwind(const PerfSample& sample) {
    unwinding_ = {.sample = &sample, .stack = {}};
    if (!attached_)
      attached_ = dwfl_attach_state(session_, nullptr, pid_, &kThreadCallbacks, &unwinding_);
    if (attached_) {
      unwinding_.stack.complete = dwfl_getthread_frames(session_, static_cast<pid_t>(sample.thread),
                                                        add_frame, &unwinding_) == 0;
    }
    return std::move(unwinding_.stack);
  }

 private:
  void report() {
    dwfl_linux_proc_report(session_, pid_);
    dwfl_report_end(session_, nullptr, nullptr);
  }

  const int pid_;
  Dwfl* const session_;
  bool attached_ = false;
  Unwinding unwinding_;
};

ProcessImage::ProcessImage(int pid)
    : pid_(pid), program_(program_of(pid)), modules_(std::make_unique<Modules>(pid)) {}
ProcessImage::~ProcessImage() = default;

void ProcessImage::refresh() {
  const std::string program = program_of(pid_);
  if (program.empty()) return;
  if (program != program_) modules_ = std::make_unique<Modules>(pid_);
  program_ = program;
  modules_->refresh();
}

UserFunction ProcessImage::function_at(std::uint64_t address, bool caller) {
  return modules_->function_at(caller && address > 0 ? address - 1 : address);
}

UserStack ProcessImage::unwind(const PerfSample& sample) {
  return modules_->unwind(sample);
}

}  // namespace tailgate::profile
