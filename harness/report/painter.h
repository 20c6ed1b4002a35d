// What all texts for a terminal share: colours, and how they tell what a reader must know.
#pragma once

#include <string>

namespace tailgate {

// Paints a text with ANSI colours, or leaves it as it is.
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

// "  ! what" and, where there is one, "    -> remedy" below it, in lines of kColumns.
std::string note(const std::string& what, const std::string& remedy, const Painter& painter);

}  // namespace tailgate
