#include "harness/etl/kernel_layouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "harness/etl/kernel_groups.h"
#include "harness/etl/kernel_layout_table.h"

namespace tailgate::etl {
namespace {

constexpr std::string_view kKernelProvider = "Windows Kernel";

struct TypeName {
  std::string_view name;
  ValueType type;
  ValueFormat format;
};

constexpr TypeName kTypes[] = {
    {"P", ValueType::pointer, ValueFormat::standard},
    {"Z", ValueType::size, ValueFormat::standard},
    {"u8", ValueType::u8, ValueFormat::standard},
    {"u16", ValueType::u16, ValueFormat::standard},
    {"u32", ValueType::u32, ValueFormat::standard},
    {"u64", ValueType::u64, ValueFormat::standard},
    {"i8", ValueType::i8, ValueFormat::standard},
    {"i16", ValueType::i16, ValueFormat::standard},
    {"i32", ValueType::i32, ValueFormat::standard},
    {"i64", ValueType::i64, ValueFormat::standard},
    {"x8", ValueType::u8, ValueFormat::hex},
    {"x16", ValueType::u16, ValueFormat::hex},
    {"x32", ValueType::hex32, ValueFormat::standard},
    {"x64", ValueType::hex64, ValueFormat::standard},
    {"b8", ValueType::bool8, ValueFormat::standard},
    {"ft", ValueType::filetime, ValueFormat::standard},
    {"guid", ValueType::guid, ValueFormat::standard},
    {"s", ValueType::ansi, ValueFormat::standard},
    {"w", ValueType::utf16, ValueFormat::standard},
    {"sid", ValueType::token_sid, ValueFormat::standard},
    {"ip4", ValueType::u32, ValueFormat::ipv4},
    {"ip6", ValueType::ipv6, ValueFormat::standard},
    {"port", ValueType::u16, ValueFormat::port},
    {"st", ValueType::systemtime, ValueFormat::standard},
    {"clock", ValueType::clock_change, ValueFormat::standard},
    {"raw", ValueType::rest_binary, ValueFormat::standard},
    {"pad", ValueType::padding, ValueFormat::standard},
};

std::string_view next_part(std::string_view& text, char separator) {
  auto at = text.find(separator);
  std::string_view part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return part;
}

std::uint16_t row_number(std::string_view digits) {
  std::uint16_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

// "" -> up to the end. "8" -> 8. "Count" -> the value of the field of that name.
void set_count(std::string_view count, const PayloadLayout& layout, Property& property) {
  if (count.empty()) {
    property.count_kind = Property::Count::rest;
    return;
  }
  property.count_kind = Property::Count::fixed;
  property.count = row_number(count);
  if (property.count != 0) return;
  for (const Property& earlier : layout.properties) {
    if (earlier.name != count) continue;
    property.count_kind = Property::Count::from_property;
    property.count = earlier.slot;
    return;
  }
  throw std::logic_error(fmt::format("kernel layout counts by an unknown field '{}'", count));
}

// "w256" -> type w, length 256. "?u32*8" -> 8 of u32, or nothing.
void set_type(std::string_view type, const PayloadLayout& layout, Property& property) {
  property.optional = type.starts_with('?');
  if (property.optional) type.remove_prefix(1);
  auto star = type.find('*');
  if (star != std::string_view::npos) {
    set_count(type.substr(star + 1), layout, property);
    type = type.substr(0, star);
  }
  for (const TypeName& row : kTypes) {
    bool sized = (row.name == "w" || row.name == "pad") && type.size() > row.name.size() &&
                 type.starts_with(row.name);
    if (type != row.name && !sized) continue;
    property.type = row.type;
    property.format = row.format;
    if (sized) {
      property.length_kind = Property::Length::fixed;
      property.length = row_number(type.substr(row.name.size()));
    }
    return;
  }
  throw std::logic_error(fmt::format("kernel layout names an unknown type '{}'", type));
}

std::shared_ptr<const PayloadLayout> parse_fields(std::string_view fields) {
  auto layout = std::make_shared<PayloadLayout>();
  while (!fields.empty()) {
    std::string_view field = next_part(fields, ',');
    while (field.starts_with(' ')) field.remove_prefix(1);
    std::string_view type = next_part(field, ' ');
    Property property;
    property.name = std::string(field);
    property.slot = static_cast<std::uint16_t>(layout->properties.size());
    set_type(type, *layout, property);
    layout->properties.push_back(std::move(property));
  }
  layout->slots = static_cast<std::uint16_t>(layout->properties.size());
  return layout;
}

void name_schema(std::string_view task, std::string_view opcode, EventSchema& schema) {
  schema.task_name = std::string(task);
  schema.opcode_name = std::string(opcode);
  schema.event_name = opcode.empty() ? std::string(task) : fmt::format("{}/{}", task, opcode);
}

class Layouts {
 public:
  Layouts() {
    for (const KernelLayoutRow& row : kernel_layout_rows()) add_kernel(row);
    for (const ClassicLayoutRow& row : classic_layout_rows()) add_classic(row);
  }

  const EventSchema* kernel(std::uint16_t hook_id, std::uint16_t version) const {
    auto at = kernel_.find(hook_id);
    if (at == kernel_.end()) return nullptr;
    const EventSchema* best = at->second.begin()->second.get();
    for (const auto& [row_version, schema] : at->second) {
      if (row_version <= version) best = schema.get();
    }
    return best;
  }

  const EventSchema* classic(const Guid& event_class, std::uint8_t opcode) const {
    auto at = classic_.find(event_class);
    if (at == classic_.end()) return nullptr;
    auto schema = at->second.find(opcode);
    return schema == at->second.end() ? nullptr : schema->second.get();
  }

 private:
  void add_kernel(const KernelLayoutRow& row) {
    std::string_view names = row.name;
    unsigned first = row.hook_id & 0xFF;
    unsigned last = row.last_hook_type == 0 ? first : row.last_hook_type;
    for (unsigned type = first; type <= last; ++type) {
      auto hook = static_cast<std::uint16_t>((row.hook_id & 0xFF00) | type);
      auto schema = std::make_unique<EventSchema>();
      schema->provider = kernel_group_guid(hook);
      schema->provider_name = SharedText(std::string(kKernelProvider));
      name_schema(kernel_group_name(hook), next_part(names, '|'), *schema);
      schema->layout = parse_fields(row.fields);
      schema->versions = VersionRange{row.version, std::max(row.version, row.last_version)};
      kernel_[hook][row.version] = std::move(schema);
    }
  }

  void add_classic(const ClassicLayoutRow& row) {
    auto schema = std::make_unique<EventSchema>();
    schema->provider = *parse_guid(row.event_class);
    schema->provider_name = SharedText(std::string(row.provider_name));
    name_schema(row.task_name, row.name, *schema);
    schema->layout = parse_fields(row.fields);
    schema->versions = VersionRange{row.version, row.version};
    schema->packed = row.packed;
    classic_[schema->provider][row.opcode] = std::move(schema);
  }

  std::unordered_map<std::uint16_t, std::map<std::uint16_t, std::unique_ptr<EventSchema>>> kernel_;
  std::unordered_map<Guid, std::map<std::uint8_t, std::unique_ptr<EventSchema>>, GuidHash> classic_;
};

const Layouts& layouts() {
  static const Layouts the_layouts;
  return the_layouts;
}

}  // namespace

const EventSchema* kernel_layout(std::uint16_t hook_id, std::uint16_t version) {
  return layouts().kernel(hook_id, version);
}

const EventSchema* classic_layout(const Guid& event_class, std::uint8_t opcode,
                                  std::uint16_t version) {
  if (auto group = kernel_group_of(event_class)) {
    auto hook = static_cast<std::uint16_t>(*group << 8 | opcode);
    // Consumers see an image load under the image class; its hook belongs to the process group.
    if (hook == 0x140A) hook = 0x030A;
    return layouts().kernel(hook, version);
  }
  return layouts().classic(event_class, opcode);
}

}  // namespace tailgate::etl
