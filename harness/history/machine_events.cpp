#include "harness/history/machine_events.h"

#include <map>
#include <sstream>

namespace tailgate::history {
namespace {

// The facts of an environment by name.
std::map<std::string, std::string> facts_of(const std::string& environment) {
  std::map<std::string, std::string> facts;
  std::istringstream lines(environment);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find('=');
    if (equals != std::string::npos) facts[line.substr(0, equals)] = line.substr(equals + 1);
  }
  return facts;
}

std::vector<std::string> differences(const std::string& before, const std::string& after) {
  std::map<std::string, std::string> old = facts_of(before);
  std::vector<std::string> texts;
  for (const auto& [name, value] : facts_of(after)) {
    const auto same = old.extract(name);
    if (!same.empty() && same.mapped() == value) continue;
    texts.push_back(name + ": " + (same.empty() ? "unknown" : same.mapped()) + " -> " + value);
  }
  for (const auto& [name, value] : old) texts.push_back(name + ": " + value + " -> unknown");
  return texts;
}

}  // namespace

std::vector<MachineEvent> machine_events(const std::vector<Record>& documents) {
  std::map<std::string, std::string> environments;  // by machine
  std::vector<MachineEvent> events;
  for (const Record& one : documents) {
    if (one.environment.empty()) continue;
    std::string& known = environments[one.machine];
    if (!known.empty() && known != one.environment) {
      events.push_back(
          {one.night, one.machine, one.fingerprint, differences(known, one.environment)});
    }
    known = one.environment;
  }
  return events;
}

}  // namespace tailgate::history
