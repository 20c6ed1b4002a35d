#include "harness/exec/check_means.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/calls/elf_facts.h"

namespace tailgate {
namespace {

constexpr const char* kMarkInstead = "mark the calls with tailgate/mark.h, or use --calls none";
constexpr std::streamoff kMaxProgramBytes = std::streamoff{1} << 30;

std::vector<char> read_program(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return {};
  const std::streamoff bytes = std::min<std::streamoff>(file.tellg(), kMaxProgramBytes);
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

void check_audit(const CallList& calls, const std::string& program, const ElfFacts& facts) {
  for (const CalledFunction& function : calls.functions) {
    const bool by_table = facts.by_table.contains(function.name);
    if (by_table && facts.bind_now) {
      throw Error(
          fmt::format("'{}' binds {} at its start (-z now), where the dynamic linker's audit "
                      "interface sees only calls that are bound lazily",
                      program, function.name),
          fmt::format("link it with -Wl,-z,lazy, or {}", kMarkInstead));
    }
    if (!by_table && facts.directly.contains(function.name)) {
      throw Error(fmt::format("'{}' calls {} without a linkage table (-fno-plt), which the dynamic "
                              "linker's audit interface does not see",
                              program, function.name),
                  fmt::format("compile it with -fplt, or {}", kMarkInstead));
    }
  }
}

}  // namespace

void check_means(const CallList& calls, const std::filesystem::path& program) {
  if (calls.means != CallMeans::preload && calls.means != CallMeans::audit) return;
#if !defined(__x86_64__)
  if (calls.means == CallMeans::audit) {
    throw Error(fmt::format("{} can be timed on x86-64 only", functions_text(calls)), kMarkInstead);
  }
#endif
  std::vector<char> content = read_program(program);
  std::string name = program.string();
  if (const std::string interpreter = interpreter_of(content); !interpreter.empty()) {
    content = read_program(interpreter);
    name = interpreter;
  }
  const std::optional<ElfFacts> facts = read_elf_facts(std::as_bytes(std::span(content)));
  if (!facts) return;
  if (!facts->dynamic) {
    throw Error(fmt::format("'{}' is linked statically, so that its functions cannot be timed from "
                            "outside",
                            name),
                fmt::format("link it dynamically, or {}", kMarkInstead));
  }
  if (calls.means == CallMeans::audit) check_audit(calls, name, *facts);
}

}  // namespace tailgate
