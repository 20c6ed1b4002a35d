#include "harness/etl/pdb_dump.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <system_error>

#include "harness/base/error.h"
#include "harness/os/private_folder.h"
#include "harness/os/process.h"
#include "harness/os/remove_folder.h"

namespace tailgate::etl {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kPatience{2};
constexpr std::chrono::milliseconds kBetweenLooks{100};
constexpr std::uintmax_t kMaxOutputBytes = std::uintmax_t{2} << 30;

// The end of a child that writes to output. Ends it when it takes or writes too much.
ChildEnd end_of(Child& child, const fs::path& output) {
  for (auto waited = kBetweenLooks; waited <= kPatience; waited += kBetweenLooks) {
    if (const auto end = child.wait_for(kBetweenLooks)) return *end;
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(output, error);
    if (error || bytes <= kMaxOutputBytes) continue;
    child.kill();
    throw Error(fmt::format("llvm-pdbutil says more than {} GB of it", kMaxOutputBytes >> 30),
                "give Breakpad's text instead");
  }
  child.kill();
  throw Error(fmt::format("llvm-pdbutil did not read it in {} minutes", kPatience.count()),
              "give Breakpad's text instead");
}

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
  const std::u8string path = fs::absolute(pdb).u8string();
  ChildOptions options;
  options.program = program_;
  options.arguments = {"dump", "--summary", "--section-headers", "--publics",
                       std::string(path.begin(), path.end())};
  options.output = folder_ / "publics";
  // A child appends.
  std::error_code error;
  fs::remove(options.output, error);
  if (error) throw Error("the last PDB's text cannot be removed", "end what has it open");
  Child child = Child::start(options);
  const ChildEnd end = end_of(child, options.output);
  if (!end.exited || end.code != 0) {
    throw Error("llvm-pdbutil could not read it: " + end.text(), "give a PDB that it can read");
  }
  return std::make_unique<MappedFile>(options.output);
}

}  // namespace tailgate::etl
