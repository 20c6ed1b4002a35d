// EVENT_TRACE_PROPERTIES followed by room for the two names, as StartTraceW and ControlTraceW take
// it.
#pragma once

#include <fmt/format.h>

#include <filesystem>

#include "harness/etw/api_windows.h"

namespace tailgate::etw {

// ControlTraceW's error for a session that does not exist.
inline constexpr ULONG kInstanceNotFound = 4201;  // ERROR_WMI_INSTANCE_NOT_FOUND

class Properties {
 public:
  Properties() {
    properties().Wnode.BufferSize = sizeof storage_;
    properties().Wnode.Flags = WNODE_FLAG_TRACED_GUID;
    properties().LoggerNameOffset = sizeof(EVENT_TRACE_PROPERTIES);
    properties().LogFileNameOffset =
        static_cast<ULONG>(sizeof(EVENT_TRACE_PROPERTIES) + kNameUnits * sizeof(wchar_t));
  }

  EVENT_TRACE_PROPERTIES& properties() { return storage_.properties; }
  const EVENT_TRACE_PROPERTIES& properties() const { return storage_.properties; }
  EVENT_TRACE_PROPERTIES* operator->() { return &storage_.properties; }
  const EVENT_TRACE_PROPERTIES* operator->() const { return &storage_.properties; }

  // Throws Error when the path is too long.
  void set_file(const std::filesystem::path& path) {
    const std::wstring& text = path.wstring();
    if (text.size() >= kNameUnits) {
      throw Error(fmt::format("'{}' is too long for a session's file", path.string()),
                  "use a shorter --scratch folder");
    }
    text.copy(storage_.file, text.size());
  }
  const wchar_t* name() const { return storage_.name; }
  const wchar_t* file() const { return storage_.file; }

 private:
  static constexpr std::size_t kNameUnits = 1024;  // for each of the two names; Windows recommends
                                                   // it

  struct {
    EVENT_TRACE_PROPERTIES properties;
    wchar_t name[kNameUnits];
    wchar_t file[kNameUnits];
  } storage_ = {};
};

}  // namespace tailgate::etw
