#include "harness/base/error.h"

#include <system_error>

namespace tailgate {

Error::Error(const std::string& what_failed, const std::string& remedy)
    : std::runtime_error(what_failed + "; " + remedy), what_failed_(what_failed), remedy_(remedy) {}

Error::Error(const Error& other) = default;
Error& Error::operator=(const Error& other) = default;
Error::~Error() = default;

Error system_error(const std::string& call, const std::string& target, int error_number,
                   const std::string& remedy) {
  return Error(call + "('" + target +
                   "') failed: " + std::generic_category().message(error_number) + " (errno " +
                   std::to_string(error_number) + ")",
               remedy);
}

}  // namespace tailgate
