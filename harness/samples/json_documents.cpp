#include "harness/samples/json_documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/base/error.h"

namespace tailgate {
namespace {

using nlohmann::json;

constexpr const char* kDamaged = "copy the file again from its source, or repeat the run";

// Counts before anything is built, so that memory is bounded whatever the text nests.
class Counter : public nlohmann::json_sax<json> {
 public:
  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t&) override { return value(); }
  bool binary(binary_t&) override { return value(); }
  bool start_object(std::size_t) override { return enter(); }
  bool key(string_t&) override { return true; }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override { return enter(); }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }
  bool within_limits() const {
    return depth_ <= kMaxDocumentDepth && values_ <= kMaxDocumentValues;
  }

 private:
  bool value() {
    ++values_;
    return within_limits();
  }
  bool enter() {
    ++depth_;
    return value();
  }
  bool leave() {
    --depth_;
    return true;
  }

  int depth_ = 0;
  std::size_t values_ = 0;
};

// Where the object that begins at `at` ends; the text's end where it does not.
std::size_t end_of_object(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  bool in_text = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (in_text) {
      if (c == '\\') {
        ++at;
      } else if (c == '"') {
        in_text = false;
      }
    } else if (c == '"') {
      in_text = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return at + 1;
    }
  }
  return text.size();
}

json parse_document(std::string_view text, const std::string& origin) {
  Counter counter;
  const bool parsed = json::sax_parse(text, &counter);
  if (!counter.within_limits()) {
    throw Error(fmt::format("{}: a document nests deeper than {} levels or has more than {} values",
                            origin, kMaxDocumentDepth, kMaxDocumentValues),
                "give what a benchmark printed, of fewer benchmarks at once");
  }
  if (!parsed) throw Error(fmt::format("{}: not JSON, or cut off", origin), kDamaged);
  return json::parse(text);
}

}  // namespace

void visit_documents(std::string_view text, const std::string& origin,
                     const std::function<void(const json& document)>& visit) {
  for (std::size_t at = 0; at < text.size();) {
    at = text.find_first_not_of(" \t\r\n", at);
    if (at == std::string_view::npos) break;
    if (text[at] == '{') {
      const std::size_t end = end_of_object(text, at);
      visit(parse_document(text.substr(at, end - at), origin));
      at = end;
    } else {
      at = std::min(text.find('\n', at), text.size());
    }
  }
}

const json* member(const json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

std::optional<double> number_member(const json& object, const char* name) {
  const json* found = member(object, name);
  if (found == nullptr || !found->is_number()) return {};
  return found->get<double>();
}

std::string text_member(const json& object, const char* name) {
  const json* found = member(object, name);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

const json& list_member(const json& object, const char* name) {
  static const json none = json::array();
  const json* found = member(object, name);
  return found != nullptr && found->is_array() ? *found : none;
}

}  // namespace tailgate
