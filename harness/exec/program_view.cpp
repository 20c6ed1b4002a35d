#include "harness/exec/program_view.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <span>
#include <string_view>

#include "harness/exec/list_libraries.h"

namespace tailgate {
namespace {

constexpr std::streamoff kMaxFileBytes = std::streamoff{1} << 30;
#if defined(__x86_64__)
constexpr std::uint16_t kThisMachine = 62;  // elf(5)
#elif defined(__aarch64__)
constexpr std::uint16_t kThisMachine = 183;
#else
constexpr std::uint16_t kThisMachine = 0;
#endif

std::vector<char> read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return {};
  const std::streamoff bytes = std::min<std::streamoff>(file.tellg(), kMaxFileBytes);
  std::vector<char> content(static_cast<std::size_t>(std::max<std::streamoff>(bytes, 0)));
  file.seekg(0);
  file.read(content.data(), static_cast<std::streamsize>(content.size()));
  content.resize(static_cast<std::size_t>(file.gcount()));
  return content;
}

// The interpreter that a script's first line names; empty for what is no script.
std::string interpreter_of(const std::vector<char>& content) {
  const std::string_view text(content.data(), std::min<std::size_t>(content.size(), 256));
  if (!text.starts_with("#!")) return "";
  const std::string_view line = text.substr(2, text.find('\n') - 2);
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return "";
  return std::string(line.substr(begin, line.find_first_of(" \t\r", begin) - begin));
}

void look_for(const CalledFunction& function, std::span<const std::byte> content,
              const std::filesystem::path& file, bool is_program, FunctionView& view) {
  if (!view.file.empty()) return;
  FoundFunction found = find_function(content, function.name);
  view.was_sought = true;
  view.is_stripped |= !found.has_all_names;
  if (!found.offsets.empty()) {
    view.file = file;
    view.is_program = is_program;
  } else if (!found.is_chosen_at_start && !found.is_no_function) {
    return;
  }
  view.found = std::move(found);
}

void look_at_library(const std::filesystem::path& library,
                     const std::vector<CalledFunction>& functions, ProgramView& view) {
  const std::vector<char> content = read_file(library);
  const std::span<const std::byte> bytes = std::as_bytes(std::span(content));
  const std::optional<ElfFacts> facts = read_elf_facts(bytes);
  if (!facts) return;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const std::string& name = functions[i].name;
    FunctionView& function = view.functions[i];
    const bool by_table = facts->by_table.contains(name);
    if (by_table && !facts->bind_now) {
      function.called_lazily = true;
    } else if (by_table || facts->directly.contains(name)) {
      function.called_otherwise = library;
    }
    if (library.filename().string().starts_with(functions[i].library)) {
      look_for(functions[i], bytes, library, false, function);
    }
  }
}

}  // namespace

ProgramView view_program(const std::filesystem::path& program,
                         const std::vector<CalledFunction>& functions) {
  ProgramView view;
  view.program = program;
  view.functions.resize(functions.size());
  std::vector<char> content = read_file(program);
  if (const std::string interpreter = interpreter_of(content); !interpreter.empty()) {
    content = read_file(interpreter);
    view.program = interpreter;
  }
  const std::span<const std::byte> bytes = std::as_bytes(std::span(content));
  view.facts = read_elf_facts(bytes);
  if (!view.facts || functions.empty()) return view;
  view.is_of_this_machine = view.facts->machine == kThisMachine;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    if (!functions[i].library.empty()) continue;
    look_for(functions[i], bytes, view.program, true, view.functions[i]);
  }
  const LibraryList libraries = list_libraries(view.program, view.facts->interpreter);
  view.libraries_problem = libraries.problem;
  for (const std::filesystem::path& library : libraries.paths) {
    look_at_library(library, functions, view);
  }
  return view;
}

}  // namespace tailgate
