#include "harness/base/error.h"

#include <cerrno>
#include <system_error>

namespace tailgate {

Error::Error(const std::string& what_failed, const std::string& remedy)
    : std::runtime_error(what_failed + "; " + remedy), what_failed_(what_failed), remedy_(remedy) {}

Error::Error(const Error& other) = default;
Error& Error::operator=(const Error& other) = default;
Error::~Error() = default;

std::string remedy_for_limit(int error_number, const std::string& otherwise) {
  switch (error_number) {
    case EMFILE:
      return "raise the limit of open files (ulimit -n)";
    case ENFILE:
      return "end programs that hold many files open, or raise the system's limit of them";
    case EFBIG:
      return "raise the limit of file sizes (ulimit -f)";
    default:
      return otherwise;
  }
}

Error system_error(const std::string& call, const std::string& target, int error_number,
                   const std::string& remedy) {
  return Error(call + "('" + target +
                   "') failed: " + std::generic_category().message(error_number) + " (errno " +
                   std::to_string(error_number) + ")",
               remedy_for_limit(error_number, remedy));
}

}  // namespace tailgate
