// The <Event> elements in files of XML, found without reading the whole: only one of them is in
// memory at a time.
#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "harness/base/error.h"
#include "harness/etl/event_log.h"
#include "harness/etl/text.h"

namespace tailgate::etl {
namespace {

using namespace std::literals;

constexpr std::size_t kXmlBlockBytes = 256u << 10;
constexpr std::string_view kEvtxSignature = "ElfFile\0"sv;
constexpr std::string_view kUtf16Mark = "\xFF\xFE"sv;

// Takes text piece by piece and finds the elements in it.
class ElementFinder {
 public:
  explicit ElementFinder(const EventXmlSink& sink) : sink_(sink) {}

  void add(std::string_view piece) {
    text_ += piece;
    while (step()) {
    }
    text_.erase(0, begin_);
    at_ -= begin_;
    begin_ = 0;
    if (depth_ != 0 && text_.size() > kMaxEventXmlBytes) give_up();
  }

  // Elements that are too long, or without an end.
  std::uint64_t unreadable() const { return unreadable_ + (depth_ != 0 ? 1 : 0); }

 private:
  static bool is_end_of_name(char c) {
    return c == '>' || c == '/' || c == ' ' || c == '\t' || c == '\r' || c == '\n';
  }

  // Goes on to the next tag of an <Event>; false when the text has no more of them.
  bool step() {
    const std::size_t found = next_tag();
    if (found == std::string::npos) {
      // A tag may have begun at the end.
      at_ = std::max(at_, text_.size() - std::min<std::size_t>(text_.size(), 7));
      if (depth_ == 0) begin_ = at_;
      return false;
    }
    const std::size_t end = text_.find('>', found);
    if (end == std::string::npos) {
      at_ = found;
      if (depth_ == 0) begin_ = found;
      const bool endless = text_.size() - found > kMaxEventXmlBytes;
      if (!endless) return false;
      at_ = text_.size();
      give_up();
      return false;
    }
    const bool closes = text_[found + 1] == '/';
    if (!closes && depth_ != 0) {
      const std::optional<bool> starts = starts_event(end + 1);
      if (!starts) {
        at_ = found;
        return false;
      }
      if (*starts) {
        ++unreadable_;
        depth_ = 0;
      }
    }
    if (!closes && depth_++ == 0) begin_ = found;
    at_ = end + 1;
    const bool alone = !closes && text_[end - 1] == '/';
    if ((closes || alone) && depth_ != 0 && --depth_ == 0) {
      sink_(std::string_view(text_).substr(begin_, at_ - begin_));
      begin_ = at_;
    }
    return true;
  }

  // Whether the content from here on is that of an event of its own, which begins with System: an
  // event around it has no end then. Nothing: more text has to come.
  std::optional<bool> starts_event(std::size_t at) const {
    constexpr std::string_view kFirst = "<System";
    at = text_.find_first_not_of(" \t\r\n", at);
    const std::string_view rest = std::string_view(text_).substr(std::min(at, text_.size()));
    if (rest.size() < kFirst.size() && kFirst.starts_with(rest)) return std::nullopt;
    return rest.starts_with(kFirst);
  }

  std::size_t next_tag() const {
    for (std::size_t at = at_;; ++at) {
      at = text_.find('<', at);
      if (at == std::string::npos) return at;
      const std::size_t name = at + (text_.compare(at, 2, "</") == 0 ? 2 : 1);
      if (text_.compare(name, 5, "Event") == 0 && name + 5 < text_.size() &&
          is_end_of_name(text_[name + 5])) {
        return at;
      }
    }
  }

  void give_up() {
    ++unreadable_;
    depth_ = 0;
    text_.erase(0, at_);
    begin_ = at_ = 0;
  }

  const EventXmlSink& sink_;
  std::string text_;
  std::size_t begin_ = 0;  // of the element, or of what may be one
  std::size_t at_ = 0;     // what is before it was searched
  std::size_t depth_ = 0;
  std::uint64_t unreadable_ = 0;
};

// Converts pieces of UTF-16, whose ends may be within a character.
class Utf16Pieces {
 public:
  std::string convert(std::string_view piece) {
    rest_ += piece;
    std::size_t whole = rest_.size() & ~std::size_t{1};
    const bool half_pair =
        whole >= 2 && (static_cast<unsigned char>(rest_[whole - 1]) & 0xFC) == 0xD8;
    if (half_pair) whole -= 2;
    std::string text = utf8_of_utf16({reinterpret_cast<const std::uint8_t*>(rest_.data()), whole});
    rest_.erase(0, whole);
    return text;
  }

 private:
  std::string rest_;
};

}  // namespace

bool is_event_log(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::array<char, 64> head{};
  in.read(head.data(), head.size());
  std::string_view begin(head.data(), static_cast<std::size_t>(in.gcount()));
  if (begin.starts_with(kEvtxSignature)) return true;
  if (begin.starts_with("\xEF\xBB\xBF")) begin.remove_prefix(3);
  std::string text(begin);
  if (begin.starts_with(kUtf16Mark)) text = Utf16Pieces().convert(begin.substr(2));
  text.erase(0, text.find_first_not_of(" \t\r\n"));
  return text.starts_with("<?xml") || text.starts_with("<Event");
}

std::uint64_t read_event_xml(const std::filesystem::path& path, const EventXmlSink& sink) {
  std::ifstream in(path, std::ios::binary);
  ElementFinder finder(sink);
  Utf16Pieces utf16;
  bool wide = false;
  bool first = true;
  std::string block(kXmlBlockBytes, '\0');
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())), in.gcount() > 0) {
    std::string_view piece(block.data(), static_cast<std::size_t>(in.gcount()));
    if (first && piece.starts_with(kUtf16Mark)) {
      wide = true;
      piece.remove_prefix(2);
    }
    first = false;
    if (wide) {
      finder.add(utf16.convert(piece));
    } else {
      finder.add(piece);
    }
  }
  if (first || in.bad()) {
    throw Error("cannot read '" + path.string() + "'", "name a file that you may read");
  }
  return finder.unreadable();
}

}  // namespace tailgate::etl
