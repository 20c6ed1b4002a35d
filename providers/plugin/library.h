// A plugin's shared library in this process.
#pragma once

#include <filesystem>

#include "providers/plugin/include/tailgate/sink.h"

namespace tailgate::plugin_detail {

// Loads the library and returns its table, which keeps the rules of sink.h: magic, version, texts
// and the functions that a sink needs. The library is never unloaded, since its threads may still
// run. Throws Error that names the library and what is wrong with it.
const tailgate_sink& load_table(const std::filesystem::path& library);

// Checks a table that was found; for load_table and its tests. Returns it, filled up with zeros
// where it is shorter than this program's. name: of the library, for errors.
tailgate_sink checked_table(const tailgate_sink* table, const std::string& name);

// Checks what a table says of a sink, and not its functions, which it need not have. subject: whose
// table it is, for errors; rules: where they are written. Throws Error.
void check_description(const tailgate_sink& table, const std::string& subject, const char* rules);

// Throws Error unless these abilities, of the table of that plugin, keep the rules of sink.h.
void check_abilities(const tailgate_sink& table, const tailgate_abilities& abilities);

// Loads a library and returns the address of a function. Throws Error.
using GetSink = const tailgate_sink* (*)();
GetSink find_get_sink(const std::filesystem::path& library);

}  // namespace tailgate::plugin_detail
