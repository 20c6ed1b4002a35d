#include "harness/etw/access_windows.h"

#include <fmt/format.h>

#include "harness/etw/api_windows.h"
#include "harness/os/wine_windows.h"

namespace tailgate::etw {
namespace {

// Whether this process's user is in a group of the machine.
bool member_of(DWORD group_number) {
  SID_IDENTIFIER_AUTHORITY authority = SECURITY_NT_AUTHORITY;
  PSID group = nullptr;
  if (AllocateAndInitializeSid(&authority, 2, SECURITY_BUILTIN_DOMAIN_RID, group_number, 0, 0, 0, 0,
                               0, 0, &group) == 0) {
    return false;
  }
  BOOL is_member = FALSE;
  CheckTokenMembership(nullptr, group, &is_member);
  FreeSid(group);
  return is_member != FALSE;
}

}  // namespace

std::optional<Probe> probe_elsewhere() {
  if (stands_in()) {
    return Probe{.available = true,
                 .reason = "a stand-in library for tests replaces Windows' event tracing",
                 .remedy = std::string("unset ") + kLibraryVariable};
  }
  const std::string wine = wine_version();
  if (wine.empty()) return std::nullopt;
  return Probe{
      .available = false,
      .reason = fmt::format("Wine {} has no event tracing: its calls succeed and do nothing", wine),
      .remedy = "run on Windows"};
}

bool is_administrator() {
  return member_of(DOMAIN_ALIAS_RID_ADMINS);
}

bool may_start_sessions() {
  constexpr DWORD kPerformanceLogUsers = 559;
  return is_administrator() || member_of(kPerformanceLogUsers);
}

bool switch_on_system_profile_privilege() {
  HANDLE opened = nullptr;
  if (OpenProcessToken(GetCurrentProcess(), TOKEN_ADJUST_PRIVILEGES, &opened) == 0) return false;
  const Handle token(opened);
  TOKEN_PRIVILEGES wanted = {};
  wanted.PrivilegeCount = 1;
  wanted.Privileges[0].Attributes = SE_PRIVILEGE_ENABLED;
  if (LookupPrivilegeValueW(nullptr, L"SeSystemProfilePrivilege", &wanted.Privileges[0].Luid) ==
      0) {
    return false;
  }
  // The call also succeeds, without effect, for a privilege that the user does not have.
  return AdjustTokenPrivileges(token.get(), FALSE, &wanted, 0, nullptr, nullptr) != 0 &&
         GetLastError() == ERROR_SUCCESS;
}

Error no_room_error(const std::string& call) {
  const bool of_provider = call == "EnableTraceEx2";
  return Error(
      fmt::format("Windows' limit is reached: {} ({}: ERROR_NO_SYSTEM_RESOURCES)",
                  of_provider ? "up to 8 sessions can enable a provider"
                              : "64 sessions run at once on most systems",
                  call),
      of_provider ? "use fewer sessions" : "stop other sessions: 'logman query -ets' lists them");
}

std::string session_remedy(std::uint32_t error) {
  switch (error) {
    case ERROR_ACCESS_DENIED:
      return kElevate;
    case ERROR_NO_SYSTEM_RESOURCES:
      return "stop other sessions (logman query -ets), of which Windows runs 64";
    case ERROR_DISK_FULL:
      return "free disk space, or use another --scratch folder";
    case ERROR_BAD_PATHNAME:
    case ERROR_SHARING_VIOLATION:
      return "use another --scratch folder";
    case ERROR_ALREADY_EXISTS:
      return "stop the session of that name: logman stop NAME -ets";
    default:
      return "see providers/etw/README.md";
  }
}

}  // namespace tailgate::etw
