#include "harness/etl/demangle.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <unordered_map>

#include "harness/base/error.h"
#include "harness/os/private_folder.h"
#include "harness/os/process.h"
#include "harness/os/remove_folder.h"

namespace tailgate::etl {
namespace {

constexpr std::size_t kMaxMangledBytes = 4096;
constexpr std::size_t kMaxUndecoratedBytes = 16u << 20;
constexpr std::size_t kMaxArgumentsBytes = 24'000;  // Windows takes 32,767
constexpr std::chrono::seconds kPatience{10};

struct Free {
  void operator()(char* text) const { std::free(text); }
};

using Plain = std::unordered_map<std::string, std::string>;

// The program says each name on a line, and what it is on the next. Its errors are in the same
// file.
void read_names(const std::filesystem::path& output, Plain& plain, std::size_t& bytes_left) {
  std::ifstream lines(output);
  std::string line;
  std::string* wanted = nullptr;
  while (std::getline(lines, line)) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    // An error may be anywhere, within a name, too.
    if (line.find("error: ") != std::string::npos) {
      wanted = nullptr;
      continue;
    }
    if (wanted != nullptr && line.size() <= std::min(kMaxMangledBytes, bytes_left)) {
      bytes_left -= line.size();
      *wanted = line;
    }
    const auto at = wanted == nullptr ? plain.find(line) : plain.end();
    wanted = at == plain.end() ? nullptr : &at->second;
  }
}

class Undname {
 public:
  Undname() {
    const auto program = find_program("llvm-undname");
    if (!program) return;
    program_ = *program;
    std::random_device random;
    folder_ =
        std::filesystem::temp_directory_path() / fmt::format("tailgate-undname-{:08x}", random());
    make_private_folder(folder_);
  }
  ~Undname() {
    if (!folder_.empty()) remove_folder(folder_);
  }
  Undname(const Undname&) = delete;
  Undname& operator=(const Undname&) = delete;

  // Returns false when it does not run.
  bool read(const std::vector<std::string>& names, Plain& plain) {
    if (program_.empty()) return false;
    ChildOptions options;
    options.program = program_;
    // Of "public: void __cdecl ns::f(int)" what tells functions apart.
    options.arguments = {"--no-access-specifier", "--no-calling-convention", "--no-return-type",
                         "--no-member-type", "--no-variable-type"};
    options.arguments.insert(options.arguments.end(), names.begin(), names.end());
    options.output = folder_ / fmt::format("names{}", ++runs_);
    Child child = Child::start(options);
    const bool ended = child.wait_for(kPatience).has_value();
    if (ended) read_names(options.output, plain, bytes_left_);
    std::error_code ignored;
    std::filesystem::remove(options.output, ignored);
    return ended;
  }

 private:
  std::filesystem::path program_;
  std::filesystem::path folder_;
  unsigned runs_ = 0;
  std::size_t bytes_left_ = kMaxUndecoratedBytes;
};

// Calls with as many names as a command line takes, until that returns false.
template <typename Visit>
void in_batches(const Plain& plain, Visit visit) {
  std::vector<std::string> batch;
  std::size_t bytes = 0;
  for (const auto& [name, shown] : plain) {
    if (!batch.empty() && bytes + name.size() > kMaxArgumentsBytes) {
      if (!visit(batch)) return;
      batch.clear();
      bytes = 0;
    }
    batch.push_back(name);
    bytes += name.size() + 3;  // a space, and quotes
  }
  if (!batch.empty()) visit(batch);
}

// Letters of names. Others are none of the compiler's, and would have to be quoted.
bool is_decorated(const std::string& name) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$@?<>.`'-";
  return name.starts_with('?') && name.size() <= kMaxMangledBytes &&
         name.find_first_not_of(kLetters) == std::string::npos;
}

// What a name may become at most, in bytes, if its grammar is read generously. "S1_" stands for a
// part of what was before it, whose number is in the order in which the parts ended; "T_" for an
// argument of a template; "Dp" and "sp" repeat what is behind them for each argument.
double most_bytes_of(std::string_view name) {
  auto bytes = static_cast<double>(name.size());
  std::vector<double> parts;  // by number in base 36, and one
  double argument = 0;
  double repeats = 0;
  for (std::size_t at = 0; at + 1 < name.size(); ++at) {
    const std::string_view two = name.substr(at, 2);
    if (two == "Dp" || two == "sp") ++repeats;
    if (name[at] != 'S' && name[at] != 'T') continue;
    std::size_t number = 0;
    std::size_t end = at + 1;
    for (; end < name.size() && number < kMaxMangledBytes; ++end) {
      const char c = name[end];
      const bool is_digit = c >= '0' && c <= '9';
      if (!is_digit && (c < 'A' || c > 'Z')) break;
      number = 36 * number + static_cast<std::size_t>(is_digit ? c - '0' : c - 'A' + 10) + 1;
    }
    if (end == name.size() || name[end] != '_') continue;
    if (name[at] == 'T' && argument == 0) argument = bytes;
    if (name[at] == 'S' && parts.size() <= number) {
      parts.resize(std::min(number, kMaxMangledBytes) + 1, bytes);
    }
    bytes += name[at] == 'T' ? argument : parts[std::min(number, kMaxMangledBytes)];
  }
  return std::pow(bytes, 1 + repeats);
}

}  // namespace

std::string demangled(std::string_view name) {
  std::string text(name);
  if (!name.starts_with("_Z") || name.size() > kMaxMangledBytes) return text;
  if (most_bytes_of(name) > static_cast<double>(kMaxDemangledBytes)) return text;
  int status = 0;
  const std::unique_ptr<char, Free> plain(
      abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status));
  if (status != 0 || plain == nullptr) return text;
  const std::string_view shown = plain.get();
  return shown.size() <= kMaxDemangledBytes ? std::string(shown) : text;
}

void undecorate(const std::vector<std::string*>& names) {
  Plain plain;
  for (const std::string* name : names) {
    if (is_decorated(*name)) plain.try_emplace(*name);
  }
  if (plain.empty()) return;
  try {
    Undname program;
    in_batches(plain,
               [&](const std::vector<std::string>& batch) { return program.read(batch, plain); });
  } catch (const Error&) {
    // It cannot be started, or there is no folder for what it says: the names stay.
  }
  for (std::string* name : names) {
    const auto at = plain.find(*name);
    if (at != plain.end() && !at->second.empty()) *name = at->second;
  }
}

}  // namespace tailgate::etl
