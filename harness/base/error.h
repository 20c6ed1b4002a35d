// The only exception type. It says what failed, with the value, and what to do about it. Its
// members are compiled once, in error.cpp: hundreds of places throw one.
#pragma once

#include <stdexcept>
#include <string>

namespace tailgate {

class Error : public std::runtime_error {
 public:
  // what_failed: a sentence without a full stop that contains the wrong value ("rate_hz = -1 is
  // below 0.001"). remedy: what the user can do, in the imperative ("give a rate above zero").
  Error(const std::string& what_failed, const std::string& remedy);
  Error(const Error& other);
  Error& operator=(const Error& other);
  ~Error() override;

  const std::string& what_failed() const { return what_failed_; }
  const std::string& remedy() const { return remedy_; }

 private:
  std::string what_failed_;
  std::string remedy_;
};

// Returns the Error for a failed system call, with the call, its target and the text of errno:
// "open('/x/y') failed: No such file or directory (errno 2)". Where a limit of the user was reached
// (open files, sizes of files), the remedy names that limit instead of the given one.
Error system_error(const std::string& call, const std::string& target, int error_number,
                   const std::string& remedy);

// Returns what to do where a limit of the user or of the machine on open files or on the sizes of
// files was reached; `otherwise` for any other errno.
std::string remedy_for_limit(int error_number, const std::string& otherwise);

}  // namespace tailgate
