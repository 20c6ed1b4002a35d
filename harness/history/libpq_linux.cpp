#include "harness/history/libpq.h"

#include <dlfcn.h>

#include <string>
#include <type_traits>

#include "harness/base/error.h"

namespace tailgate::history {
namespace {

constexpr const char* kLibrary = "libpq.so.5";
constexpr const char* kInstall = "install libpq5 (Debian), or name a file with --history";

Libpq loaded() {
  void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const why = dlerror();
    throw Error(std::string("the client library of PostgreSQL could not be loaded: ") +
                    (why != nullptr ? why : kLibrary),
                kInstall);
  }
  Libpq functions;
  const auto find = [library](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (function != nullptr) return;
    throw Error(std::string(kLibrary) + " has no function " + name, kInstall);
  };
#define TAILGATE_LIBPQ_FIND(name) find(functions.name, #name);
  TAILGATE_LIBPQ_FUNCTIONS(TAILGATE_LIBPQ_FIND)
#undef TAILGATE_LIBPQ_FIND
  return functions;
}

}  // namespace

const Libpq& libpq() {
  static const Libpq functions = loaded();
  return functions;
}

}  // namespace tailgate::history
