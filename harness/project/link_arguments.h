// What a linker is asked for, from its arguments. Pure functions, but for the files that the
// arguments name.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tailgate {

struct LinkArguments {
  std::string output = "a.out";
  bool relocatable = false;      // it makes another object file
  bool dependency_file = false;  // it also writes what it read
};

// The words in a response file, as GNU tools read it: separated by blanks, with quotes of both
// kinds and backslashes. Survives any text.
std::vector<std::string> words_of_response(std::string_view text);

// Reads the arguments without the program's name. `read` gives the text of a response file (@FILE),
// or nothing where there is none, and "@FILE" then is an argument by itself. Response files may
// name others, to a depth of ten and up to 100 files.
LinkArguments read_link_arguments(
    const std::vector<std::string>& arguments,
    const std::function<std::optional<std::string>(const std::string& file)>& read);

}  // namespace tailgate
