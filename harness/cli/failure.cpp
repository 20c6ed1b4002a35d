#include "harness/cli/failure.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <new>
#include <sstream>
#include <system_error>

#include "harness/base/error.h"
#include "harness/cli/commands.h"
#include "harness/cli/terminal.h"
#include "harness/gate/gate.h"

namespace tailgate {
namespace {

std::string remedy_for(const std::error_code& code) {
  if (code == std::errc::resource_unavailable_try_again) {
    return "raise the limit of processes and threads (ulimit -u), or end other programs";
  }
  if (code == std::errc::not_enough_memory) {
    return "free memory, or raise its limit (ulimit -v)";
  }
  if (code == std::errc::no_space_on_device) {
    return "free space on the disk, or choose another";
  }
  if (code == std::errc::permission_denied || code == std::errc::operation_not_permitted ||
      code == std::errc::read_only_file_system) {
    return "name files and folders that you may read and write";
  }
  return remedy_for_limit(code.default_error_condition().value(),
                          "name existing files and folders, and check the file system");
}

// The paths and the system's reason, without the library's own words.
std::string text_of(const std::filesystem::filesystem_error& error) {
  std::string paths;
  if (!error.path1().empty()) paths = fmt::format("'{}'", error.path1().string());
  if (!error.path2().empty()) paths += fmt::format(" and '{}'", error.path2().string());
  return fmt::format("cannot use {}: {}", paths, error.code().message());
}

Failure described(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const UsageError& error) {
    return {error.what_failed(), error.remedy(), kExitUsage};
  } catch (const Error& error) {
    return {error.what_failed(), error.remedy(), kExitFailed};
  } catch (const std::bad_alloc&) {
    return {"not enough memory", remedy_for(std::make_error_code(std::errc::not_enough_memory)),
            kExitFailed};
  } catch (const std::filesystem::filesystem_error& error) {
    return {text_of(error), remedy_for(error.code()), kExitFailed};
  } catch (const std::system_error& error) {
    return {error.what(), remedy_for(error.code()), kExitFailed};
  } catch (const std::exception& error) {
    return {error.what(), "this is a bug in tailgate; please report it", kExitFailed};
  }
}

// The lines of a message, each indented.
std::string indented(const std::string& text) {
  std::string lines;
  std::istringstream input(text);
  for (std::string line; std::getline(input, line);) lines += "  " + line + "\n";
  return lines;
}

// Whether all that was printed on standard output got there. A pipe whose reader has seen enough
// (`| head`) does not count as a failure.
bool output_was_written() {
  std::cout.flush();
  if (std::fflush(stdout) != 0) return errno == EPIPE;
  return std::ferror(stdout) == 0;
}

}  // namespace

Failure failure_of(const std::exception_ptr& thrown, bool gives_verdict) {
  Failure failure = described(thrown);
  if (gives_verdict && failure.exit_code != kExitUsage) {
    failure.exit_code = verdict_exit_code(VerdictOutcome::invalid);
  }
  return failure;
}

int report_failure(const Failure& failure) noexcept {
  try {
    tell_lines("tailgate: " + indented(failure.what_failed).substr(2) + indented(failure.remedy));
  } catch (const std::exception&) {
    std::fputs("tailgate: not enough memory to say what failed\n", stderr);
  }
  return failure.exit_code;
}

int run_action(const Action& action) noexcept {
  int exit_code = kExitDone;
  try {
    exit_code = action();
  } catch (...) {
    return report_failure(failure_of(std::current_exception(), action.gives_verdict()));
  }
  if (output_was_written()) return exit_code;
  report_failure({"standard output could not be written to its end",
                  "print to a file or a terminal that has room", kExitFailed});
  return action.gives_verdict() || exit_code != kExitDone ? exit_code : kExitFailed;
}

}  // namespace tailgate
