#include "harness/run/duet/system_modules.h"

#include <algorithm>
#include <array>
#include <string>

#include "harness/profile/samples.h"

namespace tailgate {

bool is_of_system(std::string_view module) {
  constexpr std::array kOfSystem = {"libc.", "libpthread", "ld-", "ld.", "libstdc++", "libc++"};
  return module == profile::kVdso ||
         std::any_of(kOfSystem.begin(), kOfSystem.end(),
                     [&](std::string_view name) { return module.starts_with(name); });
}

bool is_of_container(std::string_view function) {
  // Names of templates begin with what they return.
  const std::string_view name = function.substr(0, function.find('('));
  const auto begins = [name](std::string_view scope) {
    return name.starts_with(scope) || name.find(" " + std::string(scope)) < name.find('<');
  };
  return begins("std::") || begins("__gnu_cxx::") || begins("operator new");
}

}  // namespace tailgate
