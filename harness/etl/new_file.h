// A file that is written whole or not at all: under a temporary name in its own folder, which the
// file loses when it is complete.
#pragma once

#include <filesystem>

namespace tailgate::etl {

class NewFile {
 public:
  // Throws Error when the file exists and may not be replaced.
  NewFile(std::filesystem::path path, bool replace);
  // Removes what is not complete.
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  const std::filesystem::path& path() const { return path_; }            // in the end
  const std::filesystem::path& temporary() const { return temporary_; }  // while it is written

  // Gives the file its name; whoever wrote it has closed it. Throws Error.
  void complete();

 private:
  void refuse_existing() const;

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  bool replace_;
};

}  // namespace tailgate::etl
