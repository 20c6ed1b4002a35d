#include "harness/etl/symbols.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <system_error>
#include <unordered_map>

#include "harness/base/error.h"
#include "harness/etl/demangle.h"
#include "harness/etl/pdb_dump.h"
#include "harness/etl/symbol_text.h"
#include "harness/etl/text.h"
#include "harness/os/mapped_file.h"

namespace tailgate::etl {
namespace {

namespace fs = std::filesystem;
using State = ModuleSymbols::State;

constexpr std::size_t kMaxSymbolNamesBytes = 16u << 20;

std::string_view text_of(const MappedFile& file) {
  const auto bytes = file.bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string utf8_of_path(const fs::path& path) {
  const std::u8string text = path.u8string();
  return {text.begin(), text.end()};
}

fs::path path_of(std::string_view utf8) {
  return fs::path(std::u8string(utf8.begin(), utf8.end()));
}

// Files in folders, each of which it reads at most once.
class Folders {
 public:
  // A name in a folder, in whatever case it is there. The name comes from a trace: nothing for one
  // that would lead elsewhere.
  std::optional<fs::path> find(const fs::path& folder, std::string_view name) {
    const bool is_plain = !name.empty() && name != "." && name != ".." &&
                          name.find_first_of(std::string_view("/\\:\0", 4)) == name.npos;
    if (!is_plain) return std::nullopt;
    std::error_code error;
    if (const fs::path exact = folder / path_of(name); fs::exists(exact, error)) return exact;
    const Names& names = names_in(folder);
    const auto at = names.find(lower_case(name));
    return at == names.end() ? std::nullopt : std::optional(at->second);
  }

 private:
  using Names = std::unordered_map<std::string, fs::path>;  // by the name in lower case

  const Names& names_in(const fs::path& folder) {
    const auto [known, is_new] = names_.try_emplace(folder);
    std::error_code error;
    if (!is_new) return known->second;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
      known->second.try_emplace(lower_case(utf8_of_path(at->path().filename())), at->path());
    }
    return known->second;
  }

  std::map<fs::path, Names> names_;
};

std::string without_extension(std::string_view name) {
  return std::string(name.substr(0, name.rfind('.')));
}

// The files that may be a module's symbols, in order.
std::vector<fs::path> candidates(const Module& module, const fs::path& folder, Folders& folders) {
  std::vector<fs::path> found;
  const auto look_in = [&](const fs::path& in, std::string_view name) {
    const auto file = folders.find(in, name);
    std::error_code error;
    if (file && fs::is_regular_file(*file, error)) found.push_back(*file);
  };
  if (module.process != Module::kNoProcess) {
    look_in(folder, fmt::format("perf-{}.map", module.process));
    return found;
  }
  std::vector<fs::path> places;
  if (const auto of_name = folders.find(folder, module.pdb)) {
    if (const auto of_id = folders.find(*of_name, module.pdb_id)) places.push_back(*of_id);
  }
  places.push_back(folder);
  for (const fs::path& in : places) {
    look_in(in, module.pdb);
    look_in(in, without_extension(module.pdb) + ".sym");
  }
  return found;
}

// Finds the functions that places in modules are in.
class Symbolizer {
 public:
  Symbolizer(const Modules& modules, const FrameTable& frames, const fs::path& folder)
      : modules_(modules),
        frames_(frames),
        folder_(folder),
        by_frame_(frames.size(), Profile::kNoFunction) {}

  NamedFrames run() {
    // Frame 0 is no address.
    std::vector<std::uint32_t> frames;
    for (std::uint32_t frame = 1; frame < frames_.size(); ++frame) frames.push_back(frame);
    std::sort(frames.begin(), frames.end(), [this](std::uint32_t a, std::uint32_t b) {
      const FrameTable::Frame& x = frames_[a];
      const FrameTable::Frame& y = frames_[b];
      return x.module != y.module ? x.module < y.module : x.offset < y.offset;
    });
    std::vector<ModuleSymbols> all;
    for (auto from = frames.begin(); from != frames.end();) {
      const std::uint32_t module = frames_[*from].module;
      const auto to = std::find_if(
          from, frames.end(), [&](std::uint32_t frame) { return frames_[frame].module != module; });
      all.push_back(name_frames(module, {from, to}));
      from = to;
    }
    std::vector<std::string*> names;
    for (Profile::Function& function : functions_) names.push_back(&function.name);
    undecorate(names);
    return {std::move(by_frame_), std::move(functions_), std::move(all)};
  }

 private:
  // frames: the module's, by offset.
  ModuleSymbols name_frames(std::uint32_t number, const std::vector<std::uint32_t>& frames) {
    const Module& module = modules_[number];
    ModuleSymbols symbols{number, State::missing, {}, {}};
    if (module.pdb.empty() && module.process == Module::kNoProcess) {
      symbols.state = State::unknown;
      return symbols;
    }
    for (const fs::path& file : candidates(module, folder_, folders_)) {
      ModuleSymbols tried{number, State::found, utf8_of_path(file), {}};
      try {
        read(file, module, frames, tried);
      } catch (const Error& error) {
        tried.state = State::unreadable;
        tried.why = error.what_failed() + "; " + error.remedy();
      }
      if (tried.state == State::found) return tried;
      if (symbols.state != State::refused) symbols = std::move(tried);
    }
    return symbols;
  }

  void read(const fs::path& file, const Module& module, const std::vector<std::uint32_t>& frames,
            ModuleSymbols& tried) {
    if (module.process != Module::kNoProcess) {
      const MappedFile map(file);
      name_by(tried, frames,
              [&](const VisitSymbol& visit) { visit_perf_map(text_of(map), visit); });
    } else if (equal_but_for_case(utf8_of_path(file.extension()), ".sym")) {
      const MappedFile map(file);
      const auto id = breakpad_id(text_of(map));
      if (!id) throw Error("it has no MODULE line", "write it with Breakpad's dump_syms");
      if (!is_id(*id, module, tried)) return;
      name_by(tried, frames,
              [&](const VisitSymbol& visit) { visit_breakpad(text_of(map), visit); });
    } else {
      if (!pdb_dump_) pdb_dump_ = std::make_unique<PdbDump>();
      const auto map = pdb_dump_->publics_of(file);
      const auto summary = pdb_summary(text_of(*map));
      if (!summary) throw Error("llvm-pdbutil says no id of it", "give a PDB that it can read");
      if (!is_pdb(*summary, module, tried)) return;
      name_by(tried, frames, [&](const VisitSymbol& visit) {
        visit_pdb_publics(text_of(*map), summary->sections, visit);
      });
    }
  }

  static bool is_id(std::string_view id, const Module& module, ModuleSymbols& tried) {
    if (equal_but_for_case(id, module.pdb_id)) return true;
    tried.state = State::refused;
    tried.why = fmt::format("its id is {}, the trace has {}", id, module.pdb_id);
    return false;
  }

  // Tools that write a PDB again count its age up, so that it may be above the image's.
  static bool is_pdb(const PdbSummary& summary, const Module& module, ModuleSymbols& tried) {
    if (summary.rearranged) {
      throw Error("its functions were rearranged after it was written (OMAP)",
                  "convert it with Breakpad's dump_syms");
    }
    const std::string own = pdb_id(*parse_guid(summary.guid), summary.age);
    const std::string_view wanted = module.pdb_id;
    const bool same_guid = std::string_view(own).substr(0, 32) == wanted.substr(0, 32);
    const std::string age(wanted.substr(std::min<std::size_t>(32, wanted.size())));
    if (same_guid && summary.age >= std::strtoul(age.c_str(), nullptr, 16)) return true;
    return is_id(own, module, tried);
  }

  void name_by(ModuleSymbols& symbols, const std::vector<std::uint32_t>& frames,
               const std::function<void(const VisitSymbol&)>& visit_all) {
    std::vector<std::uint64_t> addresses;
    for (std::uint32_t frame : frames) addresses.push_back(frames_[frame].offset);
    NearestSymbols nearest(std::move(addresses));
    visit_all([&nearest](const Symbol& symbol) { nearest.add(symbol); });
    const std::vector<std::string_view> names = nearest.names();
    std::unordered_map<std::string_view, std::uint32_t> numbers;
    std::size_t over_limit = 0;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      if (names[i].empty()) continue;
      const auto next = static_cast<std::uint32_t>(functions_.size());
      auto [at, is_new] = numbers.try_emplace(names[i], next);
      if (is_new) {
        const std::string name = demangled(names[i]);
        if (names_bytes_ + name.size() > kMaxSymbolNamesBytes) {
          numbers.erase(at);
          ++over_limit;
          continue;
        }
        names_bytes_ += name.size();
        functions_.push_back(
            {symbols.module,
             utf8_of({reinterpret_cast<const std::uint8_t*>(name.data()), name.size()})});
      }
      by_frame_[frames[i]] = at->second;
    }
    if (over_limit == 0) return;
    symbols.why = fmt::format("{} addresses have no name: functions' names take more than {} MB",
                              over_limit, kMaxSymbolNamesBytes >> 20);
  }

  const Modules& modules_;
  const FrameTable& frames_;
  const fs::path& folder_;
  Folders folders_;
  std::vector<std::uint32_t> by_frame_;
  std::vector<Profile::Function> functions_;
  std::size_t names_bytes_ = 0;
  std::unique_ptr<PdbDump> pdb_dump_;
};

}  // namespace

std::string_view name_of(State state) {
  switch (state) {
    case State::found:
      return "found";
    case State::refused:
      return "refused";
    case State::unreadable:
      return "unreadable";
    case State::missing:
      return "missing";
    case State::unknown:
      break;
  }
  return "unknown";
}

NamedFrames name_frames(const Modules& modules, const FrameTable& frames, const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw Error(fmt::format("'{}' is no folder", utf8_of_path(folder)),
                "name the folder that the symbols are in");
  }
  return Symbolizer(modules, frames, folder).run();
}

std::vector<ModuleSymbols> symbolize(Profile& profile, const fs::path& folder) {
  NamedFrames named = name_frames(profile.modules(), profile.frames(), folder);
  profile.set_functions(std::move(named.by_frame), std::move(named.functions));
  return std::move(named.modules);
}

std::string function_text(const Modules& modules, const Profile::Function& function) {
  const Module& module = modules[function.module];
  if (module.process != Module::kNoProcess) return function.name;
  return fmt::format("{}!{}", module.name, function.name);
}

std::string unused_symbols(const Modules& modules, const std::vector<ModuleSymbols>& symbols) {
  std::string out;
  for (const ModuleSymbols& one : symbols) {
    if (one.why.empty()) continue;
    out += fmt::format("{}{} {}: {} ({})", out.empty() ? "" : "\n", one.file, name_of(one.state),
                       one.why, modules[one.module].name);
  }
  return out;
}

}  // namespace tailgate::etl
