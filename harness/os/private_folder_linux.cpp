#include "harness/os/private_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "harness/base/error.h"

namespace tailgate {
namespace {

void check_parent(const std::filesystem::path& parent) {
  struct stat status {};
  if (stat(parent.c_str(), &status) != 0) {
    throw system_error("stat", parent.string(), errno, "name a folder that exists");
  }
  const bool trusted = status.st_uid == geteuid() || status.st_uid == 0;
  const bool open_to_all = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  if (trusted && (!open_to_all || (status.st_mode & S_ISVTX) != 0)) return;
  throw Error(
      fmt::format("'{}' belongs to user {} and has the rights {:o}: others can replace what "
                  "is made there",
                  parent.string(), status.st_uid, status.st_mode & 07777u),
      "name a folder of your own, or one with a sticky bit like /tmp");
}

}  // namespace

void make_private_folder(const std::filesystem::path& folder) {
  check_parent(folder.has_parent_path() ? folder.parent_path() : std::filesystem::path("."));
  if (mkdir(folder.c_str(), 0700) != 0) {
    throw system_error("mkdir", folder.string(), errno,
                       errno == EEXIST ? "remove it: another program made it"
                                       : "name a folder that you may write to");
  }
}

}  // namespace tailgate
