#include "harness/result/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <regex>
#include <system_error>

#include "harness/base/error.h"
#include "harness/os/atomic_file.h"
#include "harness/result/json.h"

namespace tailgate {
namespace {

constexpr std::size_t kMaxPartChars = 100;

// FNV-1a, 32 bit: distinguishes names that became equal when characters were replaced.
std::string short_hash(const std::string& text) {
  std::uint32_t hash = 2166136261u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return fmt::format("{:08x}", hash);
}

bool is_safe(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '.' || c == '-' || c == '_';
}

std::string with_hash(std::string name, const std::string& part) {
  name.resize(std::min(name.size(), kMaxPartChars));
  return name + "~" + short_hash(part);
}

// Converts the name of a scenario or a preset to a part of a file name.
std::string name_word(const std::string& word) {
  std::string name = word;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !is_safe(c); }, '-');
  return name == word && name.size() <= kMaxPartChars ? name : with_hash(name, word);
}

// Converts "sink:name=value,name=value" or "name=value,name=value" to a part of a file name.
std::string name_settings(const std::string& settings) {
  // Texts of this form get different names without a hash, since no '_' or '-' in them can be
  // mistaken for a separator.
  static const std::regex exact(
      "[a-z0-9_]+|([a-z0-9-]+:)?([a-z0-9_]+=[a-z0-9.-]*,)*[a-z0-9_]+=[a-z0-9.-]*(_[a-z0-9._]*)?");
  std::string name;
  for (const char c : settings) {
    if (c == ':' || c == ',') {
      name += '_';
    } else {
      name += is_safe(c) ? c : '-';
    }
  }
  const bool whole = settings.size() <= kMaxPartChars;
  return whole && std::regex_match(settings, exact) ? name : with_hash(name, settings);
}

std::string joined(const std::vector<Setting>& settings) {
  std::string text;
  for (const Setting& setting : settings) {
    text += (text.empty() ? "" : ",") + setting.name + "=" + setting.value;
  }
  return text;
}

// Whether a JSON file states that format. Also true for a damaged file, so that reading it reports
// the damage.
bool names_format(const std::filesystem::path& path, const char* format) {
  return read_document_text(path).find(fmt::format("\"{}\"", format)) != std::string::npos;
}

// The same; false for a file that cannot be read.
bool states_format(const std::filesystem::path& path, const char* format) {
  try {
    return names_format(path, format);
  } catch (const Error&) {
    return false;
  }
}

std::vector<std::filesystem::path> results_in(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.is_regular_file() && entry.path().extension() == ".json" &&
        names_format(entry.path(), kResultFormat)) {
      found.push_back(entry.path());
    }
  }
  if (found.empty()) {
    throw Error(fmt::format("directory '{}' holds no result file (*.json)", directory.string()),
                "give the directory that 'tailgate run --out' wrote to");
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::string read_document_text(const std::filesystem::path& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text;
  std::array<char, 65536> block;
  // One byte more than the limit is enough for the reader to refuse the text.
  while (file && text.size() <= kMaxResultBytes) {
    file.read(block.data(), block.size());
    text.append(block.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (!file.is_open() || file.bad()) {
    throw system_error("read", path.string(), errno == 0 ? EIO : errno,
                       "give a result file that exists and that you may read");
  }
  return text;
}

std::string result_file_name(const std::string& scenario, const std::string& sink,
                             const std::string& preset, const std::vector<Setting>& settings) {
  std::string name = name_word(scenario) + "@" + name_settings(sink);
  if (!preset.empty()) name += "@" + name_word(preset);
  if (!settings.empty()) name += "+" + name_settings(joined(settings));
  return name + ".json";
}

Result load_result(const std::filesystem::path& path) {
  return read_result(read_document_text(path), path.string());
}

void save_result(const std::filesystem::path& path, const Result& result) {
  write_file_atomically(path, write_result(result));
}

Duet load_duet(const std::filesystem::path& path) {
  return read_duet(read_document_text(path), path.string());
}

void save_duet(const std::filesystem::path& path, const Duet& duet) {
  write_file_atomically(path, write_duet(duet));
}

Calibration load_calibration(const std::filesystem::path& path) {
  return read_calibration(read_document_text(path), path.string());
}

void save_calibration(const std::filesystem::path& path, const Calibration& calibration) {
  write_file_atomically(path, write_calibration(calibration));
}

bool is_duet_file(const std::filesystem::path& path) {
  return states_format(path, kDuetFormat);
}

CommandDuet load_command_duet(const std::filesystem::path& path) {
  return read_command_duet(read_document_text(path), path.string());
}

bool is_command_duet_file(const std::filesystem::path& path) {
  return states_format(path, kCommandDuetFormat);
}

std::vector<std::filesystem::path> find_result_files(
    const std::vector<std::filesystem::path>& files_and_directories) {
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path& path : files_and_directories) {
    if (std::filesystem::is_directory(path)) {
      const std::vector<std::filesystem::path> inside = results_in(path);
      files.insert(files.end(), inside.begin(), inside.end());
    } else if (std::filesystem::exists(path)) {
      files.push_back(path);
    } else {
      throw Error(fmt::format("'{}' does not exist", path.string()),
                  "give result files, or directories that hold some");
    }
  }
  return files;
}

}  // namespace tailgate
