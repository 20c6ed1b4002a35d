// Reads PDBs through a program, LLVM's llvm-pdbutil (Debian: llvm).
#pragma once

#include <filesystem>
#include <memory>

#include "harness/os/mapped_file.h"

namespace tailgate::etl {

class PdbDump {
 public:
  // Finds the program. Throws Error when PATH does not have it.
  PdbDump();
  ~PdbDump();
  PdbDump(const PdbDump&) = delete;
  PdbDump& operator=(const PdbDump&) = delete;

  // What the program prints of a PDB: `dump --summary --section-headers --publics`. Valid until the
  // next call, and as long as this object. Throws Error when it fails, takes two minutes or prints
  // more than 2 GB.
  std::unique_ptr<MappedFile> publics_of(const std::filesystem::path& pdb);

 private:
  std::filesystem::path program_;
  std::filesystem::path folder_;
};

}  // namespace tailgate::etl
