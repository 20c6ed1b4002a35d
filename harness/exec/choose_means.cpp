#include "harness/exec/choose_means.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "harness/base/error.h"
#include "harness/exec/program_view.h"

namespace tailgate {
namespace {

constexpr const char* kInstead = "mark the calls with tailgate/mark.h, or use --calls none";

struct Obstacle {
  std::string what;
  std::string remedy = {};  // empty: none but another means
  // Else a library that is loaded later may call the function as the means can see it.
  bool is_certain = true;
};
using Obstacles = std::optional<Obstacle>;

Obstacles why_not_preload(const ProgramView& view) {
  if (!view.facts || view.facts->dynamic) return {};
  return Obstacle{fmt::format("'{}' is linked statically", view.program.string()),
                  "link it dynamically"};
}

// For a function that the program itself does not call through a linkage table.
Obstacles why_not_audit_elsewhere(const ProgramView& view, const std::string& name,
                                  const FunctionView& function) {
  const std::string program = view.program.string();
  const std::string file = function.file.string();
  if (function.file.empty()) {
    return Obstacle{fmt::format("neither '{}' nor a library of its own names {}", program, name),
                    "", false};
  }
  if (!function.found.is_exported) {
    return Obstacle{fmt::format("'{}' does not export {}", file, name), "export it"};
  }
  if (function.is_program) {
    return Obstacle{fmt::format("'{}' calls its own {} without the dynamic linker", program, name),
                    "", false};
  }
  if (function.called_lazily) return {};
  if (!function.called_otherwise.empty()) {
    return Obstacle{fmt::format("'{}' binds {} at its start, or without a linkage table",
                                function.called_otherwise.string(), name),
                    "", false};
  }
  return Obstacle{fmt::format("no library of '{}' calls {} of '{}' through a linkage table",
                              program, name, file),
                  "", false};
}

Obstacles why_not_audit(const ProgramView& view, const std::string& name,
                        const FunctionView& function) {
#if !defined(__x86_64__)
  return Obstacle{
      fmt::format("the dynamic linker's audit interface can time {} on x86-64 only", name)};
#endif
  if (Obstacles fixed = why_not_preload(view); fixed || !view.facts) return fixed;
  const std::string program = view.program.string();
  const bool by_table = view.facts->by_table.contains(name);
  if (by_table && view.facts->bind_now) {
    return Obstacle{
        fmt::format("'{}' binds {} at its start (-z now), where the dynamic linker's audit "
                    "interface sees only calls that are bound lazily",
                    program, name),
        "link it with -Wl,-z,lazy"};
  }
  if (by_table) return {};
  if (view.facts->directly.contains(name)) {
    return Obstacle{fmt::format("'{}' calls {} without a linkage table (-fno-plt), which the "
                                "dynamic linker's audit interface does not see",
                                program, name),
                    "compile it with -fplt"};
  }
  return why_not_audit_elsewhere(view, name, function);
}

// Why there is no place for a probe.
Obstacles why_no_place(const ProgramView& view, const CalledFunction& wanted,
                       const FunctionView& function) {
  const std::string program = view.program.string();
  if (!view.facts || !view.is_of_this_machine) {
    return Obstacle{fmt::format("'{}' is no ELF file for this machine", program)};
  }
  if (!function.file.empty()) return {};
  if (function.found.is_chosen_at_start) {
    return Obstacle{
        fmt::format("which function {} is, is chosen when the program starts (IFUNC)", wanted.name),
        "name the one that is chosen"};
  }
  if (function.found.is_no_function) {
    return Obstacle{fmt::format("{} is no function", wanted.name), "name a function"};
  }
  if (!view.libraries_problem.empty()) {
    return Obstacle{fmt::format("'{}' itself does not have {}, and its libraries are not known: {}",
                                program, wanted.text(), view.libraries_problem),
                    "name a function of the program's own file"};
  }
  if (!function.was_sought) {
    return Obstacle{
        fmt::format("the dynamic linker loads no library '{}' for '{}'", wanted.library, program),
        "check the library's name (ldd lists them)"};
  }
  const bool alone = !view.facts->dynamic;
  return Obstacle{fmt::format("{} is in no symbol table of '{}'{}{}", wanted.text(), program,
                              alone ? "" : " or its libraries",
                              !function.is_stripped ? ""
                              : alone               ? ", which is stripped"
                                                    : ", some of which are stripped"),
                  function.is_stripped ? "keep the symbols (link without -s, do not strip)"
                                       : "check the name (nm lists them)"};
}

class Chooser {
 public:
  Chooser(const CallList& calls, const std::vector<std::optional<std::filesystem::path>>& programs)
      : calls_(calls), programs_(programs) {}

  CallMeans choose() {
    if (calls_.means == CallMeans::preload && can_preload()) return CallMeans::preload;
    for (const auto& program : programs_) {
      if (program) views_.push_back(view_program(*program, calls_.functions));
    }
    const Obstacles audit = find_audit();
    if (!audit) return CallMeans::audit;
    const Obstacles uprobe = find_uprobe();
    if (!uprobe) return CallMeans::uprobe;
    if (!audit->is_certain) return CallMeans::audit;
    std::string remedy = audit->remedy;
    if (!uprobe->remedy.empty()) remedy += (remedy.empty() ? "" : ", or ") + uprobe->remedy;
    throw Error(fmt::format("{}; nor can a uprobe be placed: {}", audit->what, uprobe->what),
                fmt::format("{}{}{}", remedy, remedy.empty() ? "" : ", or ", kInstead));
  }

 private:
  bool can_preload() const {
    return std::all_of(programs_.begin(), programs_.end(), [](const auto& program) {
      return !program || !why_not_preload(view_program(*program, {}));
    });
  }

  // What is certain comes first.
  Obstacles find_audit() const {
    Obstacles first;
    for (const ProgramView& view : views_) {
      for (std::size_t i = 0; i < calls_.functions.size(); ++i) {
        Obstacles found = why_not_audit(view, calls_.functions[i].name, view.functions[i]);
        if (found && (!first || (found->is_certain && !first->is_certain))) first = found;
      }
    }
    return first;
  }

  Obstacles find_uprobe() const {
    if (views_.size() < programs_.size())
      return Obstacle{"which program the command line runs is not known"};
    if (const Probe probe = probe_uprobes(); !probe.available) {
      return Obstacle{probe.reason, probe.remedy};
    }
    for (const ProgramView& view : views_) {
      for (std::size_t i = 0; i < calls_.functions.size(); ++i) {
        if (Obstacles found = why_no_place(view, calls_.functions[i], view.functions[i])) {
          return found;
        }
      }
    }
    return {};
  }

  const CallList& calls_;
  const std::vector<std::optional<std::filesystem::path>>& programs_;
  std::vector<ProgramView> views_;  // of those that are known
};

}  // namespace

CallList choose_means(CallList calls,
                      const std::vector<std::optional<std::filesystem::path>>& programs) {
  if (!calls.functions.empty()) calls.means = Chooser(calls, programs).choose();
  return calls;
}

std::vector<ProbePlace> find_probe_places(const CallList& calls,
                                          const std::filesystem::path& program) {
  const ProgramView view = view_program(program, calls.functions);
  std::vector<ProbePlace> places;
  for (std::size_t i = 0; i < calls.functions.size(); ++i) {
    const FunctionView& function = view.functions[i];
    if (const Obstacles found = why_no_place(view, calls.functions[i], function)) {
      throw Error(found->what, found->remedy.empty() ? kInstead : found->remedy);
    }
    for (const std::uint64_t offset : function.found.offsets) {
      places.push_back({static_cast<std::uint32_t>(i), function.file, offset});
    }
  }
  return places;
}

bool begins_with_push(const ProbePlace& place) {
#if defined(__x86_64__)
  constexpr unsigned kPrefix = 0x41;  // of the registers from r8 on
  constexpr unsigned kPush = 0x50;    // and the register in the lowest three bits
  std::ifstream file(place.file, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(place.offset));
  int first = file.get();
  if (first == kPrefix) first = file.get();
  return first >= 0 && (static_cast<unsigned>(first) & 0xf8u) == kPush;
#else
  static_cast<void>(place);
  return false;
#endif
}

}  // namespace tailgate
