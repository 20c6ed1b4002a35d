// What `tailgate history import` does.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace tailgate {

struct HistoryImport {
  std::string place;                         // of the history
  std::vector<std::filesystem::path> paths;  // documents, and folders of them
  std::string night;                         // UTC date; empty: as each document says
  std::string machine;                       // name; empty: the fingerprint
  std::filesystem::path spool;               // takes what a server that is not there cannot
};

// Appends the documents and prints what became of them. A file that cannot be read does not stop
// the others. Documents that a server did not take go to the spool, and those that are there come
// first. Returns whether everything is in the history. Throws Error where the history cannot be
// used.
bool import_documents(const HistoryImport& request);

}  // namespace tailgate
