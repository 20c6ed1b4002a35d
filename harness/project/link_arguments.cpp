#include "harness/project/link_arguments.h"

#include <cctype>
#include <cstddef>

namespace tailgate {
namespace {

constexpr int kDeepest = 10;
constexpr int kMostFiles = 100;

using ReadFile = std::function<std::optional<std::string>(const std::string& file)>;

class Reader {
 public:
  explicit Reader(const ReadFile& read) : read_(read) {}

  void take(const std::vector<std::string>& arguments, int depth) {
    for (const std::string& argument : arguments) {
      const bool names_file = argument.size() > 1 && argument.front() == '@';
      if (names_file && depth < kDeepest && files_ < kMostFiles) {
        ++files_;
        if (const auto text = read_(argument.substr(1))) {
          take(words_of_response(*text), depth + 1);
          continue;
        }
      }
      take_one(argument);
    }
  }

  LinkArguments result() && { return std::move(result_); }

 private:
  void take_one(const std::string& argument) {
    constexpr std::string_view kOutput = "--output=";
    if (output_next_) {
      result_.output = argument;
      output_next_ = false;
    } else if (argument == "-o" || argument == "--output") {
      output_next_ = true;
    } else if (argument.starts_with(kOutput)) {
      result_.output = argument.substr(kOutput.size());
    } else if (argument.starts_with("-o")) {
      result_.output = argument.substr(2);
    } else if (argument == "-r" || argument == "-i" || argument == "-Ur" ||
               argument == "--relocatable") {
      result_.relocatable = true;
    } else if (argument.starts_with("--dependency-file")) {
      result_.dependency_file = true;
    }
  }

  const ReadFile& read_;
  LinkArguments result_;
  bool output_next_ = false;
  int files_ = 0;
};

}  // namespace

std::vector<std::string> words_of_response(std::string_view text) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (quote == 0 && std::isspace(static_cast<unsigned char>(letter)) != 0) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (letter == '\\' && i + 1 < text.size()) {
      words.back() += text[++i];
    } else if (quote == 0 && (letter == '"' || letter == '\'')) {
      quote = letter;
    } else if (quote != 0 && letter == quote) {
      quote = 0;
    } else {
      words.back() += letter;
    }
  }
  return words;
}

LinkArguments read_link_arguments(const std::vector<std::string>& arguments, const ReadFile& read) {
  Reader reader(read);
  reader.take(arguments, 0);
  return std::move(reader).result();
}

}  // namespace tailgate
