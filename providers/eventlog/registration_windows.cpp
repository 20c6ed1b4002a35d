#include "providers/eventlog/registration_windows.h"

#include <utility>
#include <vector>

#include "harness/os/process.h"
#include "providers/eventlog/api_windows.h"
#include "providers/eventlog/options.h"

namespace tailgate::eventlog {
namespace {

const std::wstring kLogs = L"SYSTEM\\CurrentControlSet\\Services\\EventLog";
constexpr const wchar_t* kOwner = L"TailgateProcess";  // value of a source: the process that
                                                       // registered it
constexpr DWORD kNeverOverwrite = 0xFFFFFFFF;          // value of Retention

class Key {
 public:
  Key() = default;
  explicit Key(HKEY key) : key_(key) {}
  ~Key() {
    if (key_ != nullptr) RegCloseKey(key_);
  }
  Key(Key&& other) noexcept : key_(std::exchange(other.key_, nullptr)) {}
  Key& operator=(Key&&) = delete;

  HKEY get() const { return key_; }
  explicit operator bool() const { return key_ != nullptr; }

  DWORD number(const wchar_t* name, DWORD otherwise) const {
    DWORD value = 0;
    DWORD bytes = sizeof value;
    const LSTATUS failed =
        RegGetValueW(key_, nullptr, name, RRF_RT_REG_DWORD, nullptr, &value, &bytes);
    return failed == ERROR_SUCCESS ? value : otherwise;
  }

  void set_number(const wchar_t* name, DWORD value) const {
    RegSetValueExW(key_, name, 0, REG_DWORD, reinterpret_cast<const BYTE*>(&value), sizeof value);
  }

  void set_path(const wchar_t* name, const std::wstring& path) const {
    RegSetValueExW(key_, name, 0, REG_EXPAND_SZ, reinterpret_cast<const BYTE*>(path.c_str()),
                   static_cast<DWORD>((path.size() + 1) * sizeof(wchar_t)));
  }

  std::vector<std::wstring> subkeys() const {
    std::vector<std::wstring> names;
    constexpr DWORD kMaxUnits = 256;  // longest name of a key
    wchar_t name[kMaxUnits];
    for (DWORD i = 0;; ++i) {
      DWORD units = kMaxUnits;
      if (RegEnumKeyExW(key_, i, name, &units, nullptr, nullptr, nullptr, nullptr) != ERROR_SUCCESS)
        return names;
      names.emplace_back(name, units);
    }
  }

 private:
  HKEY key_ = nullptr;
};

std::wstring own_log() {
  return kLogs + L"\\" + wide(kOwnLog);
}

Key open(const std::wstring& path, REGSAM access) {
  HKEY key = nullptr;
  RegOpenKeyExW(HKEY_LOCAL_MACHINE, path.c_str(), 0, access, &key);
  return Key(key);
}

// Creates or opens a key. Throws Error.
Key create(const std::wstring& path) {
  HKEY key = nullptr;
  const LSTATUS error = RegCreateKeyExW(HKEY_LOCAL_MACHINE, path.c_str(), 0, nullptr, 0,
                                        KEY_READ | KEY_WRITE, nullptr, &key, nullptr);
  if (error != ERROR_SUCCESS) {
    throw windows_error("RegCreateKeyExW", "HKEY_LOCAL_MACHINE\\" + narrow(path),
                        static_cast<DWORD>(error),
                        "run tailgate from an elevated prompt, or use log=application");
  }
  return Key(key);
}

// Removes the log once it has no source left.
void remove_log_if_unused() {
  {
    const Key log = open(own_log(), KEY_READ);
    if (!log || !log.subkeys().empty()) return;
  }
  api().clear_log(nullptr, wide(kOwnLog).c_str(), nullptr, 0);
  RegDeleteKeyW(HKEY_LOCAL_MACHINE, own_log().c_str());
}

void remove_source(const std::wstring& source) {
  RegDeleteKeyW(HKEY_LOCAL_MACHINE, (own_log() + L"\\" + source).c_str());
}

}  // namespace

Registration::Registration(const std::string& source, const LogSettings& settings)
    : source_(source) {
  {
    const Key log = create(own_log());
    log.set_number(L"MaxSize", settings.max_bytes);
    log.set_number(L"Retention", settings.overwrites ? 0 : kNeverOverwrite);
  }
  try {
    const Key entry = create(own_log() + L"\\" + wide(source));
    entry.set_number(kOwner, GetCurrentProcessId());
    entry.set_number(L"TypesSupported", EVENTLOG_INFORMATION_TYPE);
    // Windows' message file whose messages consist of their text alone.
    entry.set_path(L"EventMessageFile", L"%SystemRoot%\\System32\\EventCreate.exe");
  } catch (const Error&) {
    remove_log_if_unused();
    throw;
  }
}

Registration::~Registration() {
  remove_source(wide(source_));
  remove_log_if_unused();
}

LogSettings Registration::settings() const {
  const Key log = open(own_log(), KEY_READ);
  return {.max_bytes = log.number(L"MaxSize", 0),
          .overwrites = log.number(L"Retention", 0) != kNeverOverwrite};
}

bool may_register() {
  return static_cast<bool>(open(kLogs, KEY_CREATE_SUB_KEY));
}

void remove_dead_registrations() {
  std::vector<std::wstring> dead;
  {
    const Key log = open(own_log(), KEY_READ);
    if (!log) return;
    for (const std::wstring& source : log.subkeys()) {
      const Key entry = open(own_log() + L"\\" + source, KEY_READ);
      const DWORD owner = entry ? entry.number(kOwner, 0) : 0;
      if (owner != 0 && !process_cpu_ns(static_cast<int>(owner))) dead.push_back(source);
    }
  }
  for (const std::wstring& source : dead) remove_source(source);
  if (!dead.empty()) remove_log_if_unused();
}

}  // namespace tailgate::eventlog
