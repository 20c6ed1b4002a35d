// Stands in for logman.exe and uses the library that stands in for event tracing. What `create`
// saves is a file beside the program, a word a line. `start` starts the session in a process of its
// own, which ends with the session.
//
// TAILGATE_STAND_IN_FAULT plants a fault: logman_fails (prints an error and ends), logman_hangs,
// logman_drops (sessions start without -ft, -f and -max) or logman_numbers (their files get another
// name).
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "harness/etl/guid.h"
#include "harness/etw/api_windows.h"
#include "harness/etw/properties_windows.h"
#include "harness/etw/testing/stand_in_memory_windows.h"
#include "harness/os/command_line_windows.h"
#include "harness/os/install_paths.h"

namespace {

using namespace tailgate;
using etw::Properties;
namespace fs = std::filesystem;

// The words after each option, up to the next option.
std::map<std::string, std::vector<std::string>> options_of(const std::vector<std::string>& words) {
  std::map<std::string, std::vector<std::string>> options;
  std::string name;
  for (const std::string& word : words) {
    if (word.starts_with('-')) name = word;
    if (word.starts_with('-')) {
      options[word];
    } else {
      options[name].push_back(word);
    }
  }
  return options;
}

constexpr const char* kCollector = ".collector";

fs::path collector_path(const std::string& name) {
  return executable_path().parent_path() / (name + kCollector);
}

int create(const std::vector<std::string>& words) {
  std::ofstream file(collector_path(words.at(2)));
  for (const std::string& word : words) file << word << '\n';
  return file.good() ? 0 : 1;
}

std::vector<std::string> created(const std::string& name) {
  std::ifstream file(collector_path(name));
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word);) words.push_back(word);
  return words;
}

int not_found() {
  std::puts("Error:\nData Collector Set was not found.");
  return 1;
}

int query() {
  std::puts("\nData Collector Set                      Type                          Status");
  std::puts("-----------------------------------------------------------------------------");
  for (const auto& entry : fs::directory_iterator(executable_path().parent_path())) {
    if (entry.path().extension() != kCollector) continue;
    std::printf("%-40s%-30s%s\n", entry.path().stem().string().c_str(), "Trace", "Stopped");
  }
  return 0;
}

// A time as logman takes it: "00:01:01".
ULONG seconds_of(const std::string& text) {
  return static_cast<ULONG>(std::stoul(text.substr(0, 2)) * 3600 +
                            std::stoul(text.substr(3, 2)) * 60 + std::stoul(text.substr(6, 2)));
}

bool is_circular(const std::map<std::string, std::vector<std::string>>& options) {
  const auto kind = options.find("-f");
  return kind != options.end() && kind->second.at(0) == "bincirc";
}

// Runs in the session's own process until somebody has stopped the session.
int serve(const std::vector<std::string>& named) {
  const std::vector<std::string> words = created(named.at(1));
  auto options = options_of({words.begin() + 3, words.end()});
  if (etw::stand_in::planted("logman_drops")) {
    for (const char* dropped : {"-ft", "-f", "-max"}) options.erase(dropped);
  }
  if (etw::stand_in::planted("logman_numbers")) options.at("-o").at(0) += "_000001.etl";
  Properties wanted;
  wanted->BufferSize = std::stoul(options.at("-bs").at(0));
  if (options.contains("-ft")) wanted->FlushTimer = seconds_of(options.at("-ft").at(0));
  if (options.contains("-max")) wanted->MaximumFileSize = std::stoul(options.at("-max").at(0));
  wanted->LogFileMode = options.contains("-rt") ? EVENT_TRACE_REAL_TIME_MODE
                        : is_circular(options)  ? EVENT_TRACE_FILE_MODE_CIRCULAR
                                                : EVENT_TRACE_FILE_MODE_SEQUENTIAL;
  if (options.contains("-o")) wanted.set_file(options.at("-o").at(0));
  const std::vector<std::string>& provider = options.at("-p");
  const auto guid = etl::parse_guid(provider.at(0));
  GUID native;
  std::memcpy(&native, guid.value().bytes.data(), sizeof native);
  const std::wstring name = wide(named.at(1));
  TRACEHANDLE handle = 0;
  if (etw::api().start_trace(&handle, name.c_str(), &wanted.properties()) != ERROR_SUCCESS) {
    return 1;
  }
  etw::api().enable_trace(handle, &native, 1,
                          static_cast<UCHAR>(std::stoul(provider.at(2), {}, 16)),
                          std::stoull(provider.at(1), {}, 16), 0, 0, nullptr);
  Properties ignored;
  while (etw::api().control_trace(handle, nullptr, &ignored.properties(),
                                  EVENT_TRACE_CONTROL_QUERY) == ERROR_SUCCESS) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return 0;
}

bool is_enabled(const std::wstring& session) {
  const std::uint32_t number = etw::stand_in::session_named(session.c_str());
  return number != etw::stand_in::kSessions &&
         etw::stand_in::shared().sessions[number].enabled.on != 0;
}

// Starts the session's process and waits until the session runs.
int start(std::vector<std::string> words) {
  if (created(words.at(1)).empty()) return not_found();
  words.front() = "serve";
  std::vector<std::string> arguments = words;
  arguments.insert(arguments.begin(), "logman");
  std::wstring command_line = command_line_of(arguments);
  STARTUPINFOW startup = {};
  startup.cb = sizeof startup;
  PROCESS_INFORMATION created = {};
  if (CreateProcessW(executable_path().c_str(), command_line.data(), nullptr, nullptr, FALSE, 0,
                     nullptr, nullptr, &startup, &created) == 0) {
    return 1;
  }
  const Handle thread(created.hThread);
  const Handle process(created.hProcess);
  const std::wstring name = wide(words.at(1));
  while (!is_enabled(name)) {
    if (WaitForSingleObject(process.get(), 1) == WAIT_OBJECT_0) return 1;
  }
  return 0;
}

int stop(const std::vector<std::string>& words) {
  Properties ended;
  return etw::api().control_trace(0, wide(words.at(1)).c_str(), &ended.properties(),
                                  EVENT_TRACE_CONTROL_STOP) == ERROR_SUCCESS
             ? 0
             : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) return 2;
  if (etw::stand_in::planted("logman_hangs")) std::this_thread::sleep_for(std::chrono::hours(1));
  if (etw::stand_in::planted("logman_fails")) {
    std::puts("Error:\nAccess is denied.");
    return 5;
  }
  if (words.front() == "query") return query();
  if (words.size() < 2) return 2;
  if (words.front() == "create") return create(words);
  if (words.front() == "delete") return fs::remove(collector_path(words.at(1))) ? 0 : not_found();
  if (words.front() == "serve") return serve(words);
  return words.front() == "start" ? start(words) : stop(words);
}
