#include "harness/etl/tmf.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "harness/base/error.h"
#include "harness/etl/value_text.h"

namespace tailgate::etl {
namespace {

// The first argument of a message has this number; lower ones are the message's prefix.
constexpr unsigned kFirstArgument = 10;
constexpr std::size_t kMaxMessageBytes = 1u << 20;

struct ItemType {
  std::string_view name;
  ValueType type;
  ValueFormat format;
};

constexpr ItemType kItemTypes[] = {
    {"ItemLong", ValueType::i32, ValueFormat::standard},
    {"ItemULong", ValueType::u32, ValueFormat::standard},
    {"ItemULongX", ValueType::hex32, ValueFormat::standard},
    {"ItemShort", ValueType::i16, ValueFormat::standard},
    {"ItemUShort", ValueType::u16, ValueFormat::standard},
    {"ItemChar", ValueType::i8, ValueFormat::standard},
    {"ItemUChar", ValueType::u8, ValueFormat::standard},
    {"ItemLongLong", ValueType::i64, ValueFormat::standard},
    {"ItemULongLong", ValueType::u64, ValueFormat::standard},
    {"ItemLongLongX", ValueType::hex64, ValueFormat::standard},
    {"ItemLongLongXX", ValueType::hex64, ValueFormat::standard},
    {"ItemLongLongO", ValueType::u64, ValueFormat::standard},
    {"ItemDouble", ValueType::f64, ValueFormat::standard},
    {"ItemPtr", ValueType::pointer, ValueFormat::standard},
    {"ItemString", ValueType::ansi, ValueFormat::standard},
    {"ItemWString", ValueType::utf16, ValueFormat::standard},
    {"ItemRString", ValueType::ansi, ValueFormat::standard},
    {"ItemRWString", ValueType::utf16, ValueFormat::standard},
    {"ItemPString", ValueType::counted_ansi, ValueFormat::standard},
    {"ItemPWString", ValueType::counted_utf16, ValueFormat::standard},
    {"ItemGuid", ValueType::guid, ValueFormat::standard},
    {"ItemCLSID", ValueType::guid, ValueFormat::standard},
    {"ItemLIBID", ValueType::guid, ValueFormat::standard},
    {"ItemIID", ValueType::guid, ValueFormat::standard},
    {"ItemSid", ValueType::sid, ValueFormat::standard},
    {"ItemTimestamp", ValueType::filetime, ValueFormat::standard},
    {"ItemTimeDelta", ValueType::i64, ValueFormat::standard},
    {"ItemWaitTime", ValueType::i64, ValueFormat::standard},
    {"ItemNTSTATUS", ValueType::u32, ValueFormat::ntstatus},
    {"ItemHRESULT", ValueType::u32, ValueFormat::hresult},
    {"ItemWINERROR", ValueType::u32, ValueFormat::win32_error},
    {"ItemNTerror", ValueType::u32, ValueFormat::ntstatus},
    {"ItemIPAddr", ValueType::u32, ValueFormat::ipv4},
    {"ItemIPV6Addr", ValueType::ipv6, ValueFormat::standard},
    {"ItemPort", ValueType::u16, ValueFormat::port},
    {"ItemMLString", ValueType::ansi, ValueFormat::standard},
    {"ItemHEXDump", ValueType::counted_binary, ValueFormat::standard},
    {"ItemEnum", ValueType::i32, ValueFormat::standard},
    {"ItemFlagsEnum", ValueType::hex32, ValueFormat::standard},
    {"ItemSetLong", ValueType::u32, ValueFormat::standard},
    {"ItemListLong", ValueType::i32, ValueFormat::standard},
    {"ItemListShort", ValueType::i16, ValueFormat::standard},
    {"ItemListByte", ValueType::u8, ValueFormat::standard},
};

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) {
    text.remove_suffix(1);
  }
  return text;
}

std::string_view next_line(std::string_view& text) {
  auto end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return trim(line);
}

std::string_view next_word(std::string_view& text) {
  text = trim(text);
  auto end = text.find_first_of(" \t");
  std::string_view word = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end);
  return word;
}

// "ItemListLong(false,true)": the names of 0, 1, ... ItemSetLong names the bits instead.
std::shared_ptr<ValueMap> list_map(std::string_view type, std::string_view names) {
  auto map = std::make_shared<ValueMap>();
  map->name = std::string(type);
  map->bitmap = type == "ItemSetLong";
  for (std::uint32_t index = 0; !names.empty() && index < 1024; ++index) {
    auto comma = names.find(',');
    std::uint32_t value = map->bitmap ? (index < 32 ? 1u << index : 0u) : index;
    map->entries.emplace_back(value, SharedText(std::string(trim(names.substr(0, comma)))));
    names.remove_prefix(comma == std::string_view::npos ? names.size() : comma + 1);
  }
  return map;
}

// Parses "name, ItemLong -- 10". Returns false for an undocumented type, because the arguments
// after it cannot be located.
bool parse_argument(std::string_view line, PayloadLayout& layout) {
  auto dashes = line.rfind("--");
  auto comma = line.rfind(", Item", dashes);
  if (dashes == std::string_view::npos || comma == std::string_view::npos) return false;
  unsigned number = 0;
  std::string_view digits = trim(line.substr(dashes + 2));
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  std::string_view type = trim(line.substr(comma + 2, dashes - comma - 2));
  std::string_view names;
  auto open = type.find('(');
  if (open != std::string_view::npos) {
    names = type.substr(open + 1, type.rfind(')') - open - 1);
    type = type.substr(0, open);
  }
  auto row = std::find_if(std::begin(kItemTypes), std::end(kItemTypes),
                          [type](const ItemType& item) { return item.name == type; });
  if (row == std::end(kItemTypes)) return false;
  Property& property = layout.properties.emplace_back();
  property.name = std::string(trim(line.substr(0, comma)));
  property.type = row->type;
  property.format = row->format;
  // append_tmf_message() needs the number, since arguments may be listed in any order.
  property.slot = static_cast<std::uint16_t>(number);
  if (type.starts_with("ItemList") || type == "ItemSetLong") property.map = list_map(type, names);
  return true;
}

}  // namespace

void TmfStore::add(std::string_view text, const std::string& name) {
  std::size_t before = messages_.size();
  Guid guid;
  SharedText provider;
  std::shared_ptr<PayloadLayout> open;
  bool in_arguments = false;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    std::string_view rest = line;
    std::string_view word = next_word(rest);
    if (auto parsed = parse_guid(word)) {
      guid = *parsed;
      provider = SharedText(std::string(next_word(rest)));
    } else if (word == "#typev" || word == "#type") {
      std::string event_name(next_word(rest));
      std::string_view digits = next_word(rest);
      unsigned number = 0;
      std::from_chars(digits.data(), digits.data() + digits.size(), number);
      auto quote = rest.find('"');
      auto end = rest.find("//", rest.rfind('"'));
      auto last = rest.substr(0, end).rfind('"');
      auto message = std::make_unique<TmfMessage>();
      message->schema.source = SchemaSource::tmf;
      message->schema.provider = guid;
      message->schema.provider_name = provider;
      message->schema.event_name = event_name;
      if (quote != std::string_view::npos && last > quote) {
        message->format = std::string(rest.substr(quote + 1, last - quote - 1));
      }
      open = std::make_shared<PayloadLayout>();
      message->schema.layout = open;
      messages_[{guid, static_cast<std::uint16_t>(number)}] = std::move(message);
    } else if (word == "{") {
      in_arguments = open != nullptr;
    } else if (word == "}") {
      in_arguments = false;
      open = nullptr;
    } else if (in_arguments && !line.empty() && !parse_argument(line, *open)) {
      in_arguments = false;
    }
  }
  if (messages_.size() == before) {
    throw Error("'" + name + "' describes no trace message",
                "give a .tmf file, as tracepdb extracts it from the program's symbols");
  }
}

const TmfMessage* TmfStore::find(const Guid& guid, std::uint16_t number) const {
  auto at = messages_.find({guid, number});
  return at == messages_.end() ? nullptr : at->second.get();
}

namespace {

// Formats a value by "08x" in "%10!08x!": width, zero padding and base are honoured; for the rest
// the value's own format is used.
void append_formatted(const Field& field, std::string_view spec, std::string& out) {
  std::size_t from = out.size();
  bool hex = !spec.empty() && (spec.back() == 'x' || spec.back() == 'X');
  bool integer = field.data.size() <= 8 && field.map == nullptr &&
                 (field.type == ValueType::i8 || field.type == ValueType::u8 ||
                  field.type == ValueType::i16 || field.type == ValueType::u16 ||
                  field.type == ValueType::i32 || field.type == ValueType::u32 ||
                  field.type == ValueType::i64 || field.type == ValueType::u64 ||
                  field.type == ValueType::hex32 || field.type == ValueType::hex64);
  if (hex && integer) {
    std::uint64_t value = 0;
    std::memcpy(&value, field.data.data(), field.data.size());
    if (spec.back() == 'X') {
      fmt::format_to(std::back_inserter(out), "{:X}", value);
    } else {
      fmt::format_to(std::back_inserter(out), "{:x}", value);
    }
  } else {
    append_value(field, out);
  }
  char fill = ' ';
  std::size_t width = 0;
  if (!spec.empty() && spec.front() == '0') fill = '0';
  std::from_chars(spec.data(), spec.data() + spec.size(), width);
  std::size_t length = out.size() - from;
  if (width > length && width <= 256) out.insert(from, width - length, fill);
}

const Field* argument(const TmfMessage& message, const std::vector<Field>& fields,
                      unsigned number) {
  const auto& properties = message.schema.layout->properties;
  for (std::size_t i = 0; i < properties.size() && i < fields.size(); ++i) {
    if (properties[i].slot == number) return &fields[i];
  }
  return nullptr;
}

}  // namespace

bool append_tmf_message(const TmfMessage& message, const std::vector<Field>& fields,
                        std::string& out) {
  const std::size_t from = out.size();
  std::string_view format = message.format;
  while (!format.empty()) {
    if (out.size() - from >= kMaxMessageBytes) return false;
    char c = format.front();
    if (c != '%' || format.size() < 2) {
      out += c;
      format.remove_prefix(1);
      continue;
    }
    if (format[1] == '%' || format[1] == '!') {
      out += format[1];
      format.remove_prefix(2);
      continue;
    }
    unsigned number = 0;
    auto [end, error] = std::from_chars(format.data() + 1, format.data() + format.size(), number);
    if (error != std::errc()) {
      out += c;
      format.remove_prefix(1);
      continue;
    }
    format.remove_prefix(static_cast<std::size_t>(end - format.data()));
    std::string_view spec;
    if (format.starts_with('!')) {
      auto close = format.find('!', 1);
      if (close == std::string_view::npos) close = format.size() - 1;
      spec = format.substr(1, close - 1);
      format.remove_prefix(close + 1);
    }
    if (number < kFirstArgument) continue;
    if (const Field* field = argument(message, fields, number)) {
      append_formatted(*field, spec, out);
    } else {
      out += "<missing>";
    }
  }
  return true;
}

}  // namespace tailgate::etl
