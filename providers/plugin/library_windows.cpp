#include "harness/os/library_windows.h"
#include "harness/base/error.h"
#include "providers/plugin/library.h"

namespace tailgate::plugin_detail {

GetSink find_get_sink(const std::filesystem::path& library) {
  const HMODULE handle =
      load_library(std::filesystem::absolute(library).string(),
                   "name a DLL that was built with tailgate/sink.h, for this machine");
  // The cast through void* avoids GCC's warning about function types.
  void* function = reinterpret_cast<void*>(GetProcAddress(handle, "tailgate_get_sink"));
  if (function == nullptr) {
    throw Error("the library '" + library.string() + "' has no function tailgate_get_sink",
                "name a plugin of tailgate; tailgate/sink.h says what it exports");
  }
  return reinterpret_cast<GetSink>(function);
}

}  // namespace tailgate::plugin_detail
