// What all texts for a terminal share: colours and notes.
#pragma once

#include <string>

namespace tailgate {

// Adds ANSI colours to a text, or returns it unchanged when colours are off.
class Painter {
 public:
  explicit Painter(bool on) : on_(on) {}
  std::string bold(const std::string& text) const { return paint("1", text); }
  std::string red(const std::string& text) const { return paint("31", text); }
  std::string green(const std::string& text) const { return paint("32", text); }
  std::string yellow(const std::string& text) const { return paint("33", text); }

 private:
  std::string paint(const char* code, const std::string& text) const {
    return on_ ? std::string("\x1b[") + code + "m" + text + "\x1b[0m" : text;
  }
  bool on_;
};

// A note: "  ! what", and "    -> remedy" below it unless the remedy is empty. Wraps at kColumns.
std::string note(const std::string& what, const std::string& remedy, const Painter& painter);

}  // namespace tailgate
