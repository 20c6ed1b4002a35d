// The images of a trace's processes by address, with the ids of their symbols.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/etl/guid.h"
#include "harness/etl/image_ranges.h"

namespace tailgate::etl {

// An image, wherever it was loaded; or the addresses of a process that are in no image.
struct Module {
  static constexpr std::uint32_t kNoProcess = 0xFFFF'FFFF;

  std::string name;                    // "ntdll.dll"
  std::string pdb;                     // "ntdll.pdb"; empty: the trace does not say
  std::string pdb_id;                  // of the linker's record RSDS, as pdb_id() writes it
  std::uint32_t process = kNoProcess;  // of the addresses in no image
};

// "CEB225C0769F1F9D4C4C44205044422E1": a PDB's GUID and age as folders of a symbol server and
// Breakpad's MODULE lines write them. Source: Microsoft's SymStore, "the GUID and the age, in hex
// digits"; Breakpad's docs/symbol_files.md.
std::string pdb_id(const Guid& guid, std::uint32_t age);

// The images by address (see ImageRanges), and a module for each name and PDB that they have.
class Modules {
 public:
  // In which image an address is, and where in it. Of an address in none: the address, in a module
  // of its process; beyond 16,384 such processes in one that they share.
  struct Place {
    std::uint32_t module = 0;
    std::uint64_t offset = 0;
  };

  void set_pointer_bytes(unsigned pointer_bytes) { images_.set_pointer_bytes(pointer_bytes); }

  void add_image(std::uint32_t process, std::uint64_t base, std::uint64_t size,
                 std::string_view name);
  void add_pdb(std::uint32_t process, std::uint64_t base, std::string_view pdb, std::string id);
  // Call it after the last image and PDB, and before the first place_of().
  void finish();

  Place place_of(std::uint32_t process, std::uint64_t address);

  const Module& operator[](std::uint32_t number) const { return modules_[number]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(modules_.size()); }
  // Images and PDBs that have no room: 65,536 of each, and 4 MB of names are kept.
  // What replaces one, or has its name, needs no room.
  std::uint64_t over_limit() const { return over_limit_; }

 private:
  struct Pdb {
    std::string name;
    std::string id;
  };
  using Key = ImageRanges::Key;

  // The image's number; nothing when its names are new and take more than max_bytes with the
  // others.
  std::optional<std::uint32_t> module_of(const Module& module, std::size_t max_bytes);
  std::uint32_t outside_of(std::uint32_t process);
  const Pdb* pdb_of(const Key& key) const;

  ImageRanges images_;  // their numbers: modules, before finish() of the name alone
  std::map<Key, Pdb> pdbs_;
  // By address alone, null where PDBs differ: a library that several processes share is described
  // for one of them.
  std::unordered_map<std::uint64_t, const Pdb*> shared_pdbs_;
  std::vector<Module> modules_;
  std::unordered_map<std::string, std::uint32_t> numbers_;    // of images, until finish()
  std::unordered_map<std::uint32_t, std::uint32_t> outside_;  // modules by process
  std::size_t name_bytes_ = 0;
  std::uint64_t over_limit_ = 0;
};

}  // namespace tailgate::etl
