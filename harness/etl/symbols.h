// Names the functions of a profile from a folder of symbols.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/etl/profile.h"

namespace tailgate::etl {

// What became of the symbols of an image that has samples.
struct ModuleSymbols {
  enum class State : std::uint8_t {
    found,
    refused,     // they are of another build of the image
    unreadable,  // the file, or the program that reads it, is at fault
    missing,     // no file
    unknown,     // the trace does not say which symbols the image has
  };

  std::uint32_t module = 0;
  State state = State::unknown;
  std::string file;  // of found, refused and unreadable symbols
  std::string why;   // of refused and unreadable ones, and of found ones without room for all names
};
std::string_view name_of(ModuleSymbols::State state);

// Gives the frames of the profile their functions. For an image with the PDB a.pdb, the first of
// these files counts that has its id:
//
//   DIR/a.pdb/GUIDAGE/a.pdb, DIR/a.pdb/GUIDAGE/a.sym   a symbol server's folders; Breakpad's text
//   DIR/a.pdb, DIR/a.sym
//
// and for addresses of process 500 in no image DIR/perf-500.map, which has no id. Case does not
// matter. PDBs are read by the program llvm-pdbutil: their public symbols, which have no ends, so
// that a function without one counts as the one before it. Throws Error when the folder cannot be
// read. Returns an entry for each image that the profile has frames of.
std::vector<ModuleSymbols> symbolize(Profile& profile, const std::filesystem::path& folder);

// The same for places in modules, of which the first is none.
struct NamedFrames {
  std::vector<std::uint32_t> by_frame;  // numbers in functions, or Profile::kNoFunction
  std::vector<Profile::Function> functions;
  std::vector<ModuleSymbols> modules;
};
NamedFrames name_frames(const Modules& modules, const FrameTable& frames,
                        const std::filesystem::path& folder);

// "ntdll.dll!RtlAllocateHeap"; of code in no image the function's name alone.
std::string function_text(const Modules& modules, const Profile::Function& function);

// Says which symbols were there and were not used, a line each; empty if none.
std::string unused_symbols(const Modules& modules, const std::vector<ModuleSymbols>& symbols);

}  // namespace tailgate::etl
