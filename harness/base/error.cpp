#include "harness/base/error.h"

#include <system_error>

namespace tailgate {

Error system_error(const std::string& call, const std::string& target, int error_number,
                   const std::string& remedy) {
  return Error(call + "('" + target +
                   "') failed: " + std::generic_category().message(error_number) + " (errno " +
                   std::to_string(error_number) + ")",
               remedy);
}

}  // namespace tailgate
