#include "harness/etl/pdb_dump.h"

#include <fmt/format.h>

#include <chrono>
#include <random>

#include "harness/base/error.h"
#include "harness/os/private_folder.h"
#include "harness/os/process.h"
#include "harness/os/remove_folder.h"

namespace tailgate::etl {
namespace {

constexpr std::chrono::minutes kPatience{2};

}  // namespace

PdbDump::PdbDump() {
  const auto program = find_program("llvm-pdbutil");
  if (!program) {
    throw Error("llvm-pdbutil, which reads PDBs, is not in PATH",
                "install it (Debian: llvm), or give Breakpad's text");
  }
  program_ = *program;
  std::random_device random;
  const auto folder =
      std::filesystem::temp_directory_path() / fmt::format("tailgate-pdb-{:08x}", random());
  make_private_folder(folder);
  folder_ = folder;
}

PdbDump::~PdbDump() {
  remove_folder(folder_);
}

std::unique_ptr<MappedFile> PdbDump::publics_of(const std::filesystem::path& pdb) {
  ChildOptions options;
  options.program = program_;
  options.arguments = {"dump", "--summary", "--section-headers", "--publics",
                       std::filesystem::absolute(pdb).string()};
  options.output = folder_ / "publics";
  Child child = Child::start(options);
  const auto end = child.wait_for(kPatience);
  if (!end) {
    child.kill();
    throw Error(fmt::format("llvm-pdbutil did not read it in {} minutes", kPatience.count()),
                "give Breakpad's text instead");
  }
  if (!end->exited || end->code != 0) {
    throw Error("llvm-pdbutil could not read it: " + end->text(), "give a PDB that it can read");
  }
  return std::make_unique<MappedFile>(options.output);
}

}  // namespace tailgate::etl
