#include <dlfcn.h>

#include "harness/base/error.h"
#include "providers/plugin/library.h"

namespace tailgate::plugin_detail {

GetSink find_get_sink(const std::filesystem::path& library) {
  // Without a slash, dlopen would search the system's folders.
  const std::string path = std::filesystem::absolute(library).string();
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    throw Error("the plugin '" + library.string() +
                    "' could not be loaded: " + (why != nullptr ? why : "no reason given"),
                "name a shared library that was built with tailgate/sink.h, for this machine");
  }
  void* function = dlsym(handle, "tailgate_get_sink");
  if (function == nullptr) {
    throw Error("the library '" + library.string() + "' has no function tailgate_get_sink",
                "name a plugin of tailgate; tailgate/sink.h says what it exports");
  }
  return reinterpret_cast<GetSink>(function);
}

}  // namespace tailgate::plugin_detail
