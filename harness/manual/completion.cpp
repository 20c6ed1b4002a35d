#include "harness/manual/completion.h"

#include <sstream>

namespace tailgate {
namespace {

void add_commands(const CommandText& command, const std::string& path,
                  std::vector<CommandPlace>& places) {
  places.push_back({path, &command});
  for (const CommandText& part : command.subcommands) {
    add_commands(part, path + "/" + part.name, places);
  }
}

}  // namespace

std::vector<Offer> offers_for(const OptionText& option) {
  if (!option.choices.empty()) return {Offer::words};
  std::vector<Offer> offers;
  std::istringstream names(option.value);
  for (std::string name; std::getline(names, name, '|');) {
    if (name == "SINK") offers.push_back(Offer::sinks);
    if (name == "SINKS") offers.push_back(Offer::sink_list);
    if (name == "SCENARIO") offers.push_back(Offer::scenarios);
    if (name.starts_with("FILE")) offers.push_back(Offer::files);
    // Files are offered with the folders that lead to them.
    if (name == "DIR" && option.value == name) offers.push_back(Offer::folders);
  }
  return offers;
}

std::vector<CommandPlace> all_commands(const CommandText& program) {
  std::vector<CommandPlace> places;
  add_commands(program, "", places);
  return places;
}

}  // namespace tailgate
