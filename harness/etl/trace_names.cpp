#include "harness/etl/trace_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>

#include "harness/etl/event_fields.h"
#include "harness/etl/kernel_hooks.h"
#include "harness/etl/text.h"
#include "harness/etl/trace_reader.h"
#include "harness/etl/value_text.h"

namespace tailgate::etl {
namespace {

// About what an entry takes beside its text.
constexpr std::size_t kEntryBytes = 64;
constexpr std::size_t kMaxImageNameBytes = 255;  // NTFS has no longer names

constexpr std::uint16_t kHookFileName = 0x0400;
constexpr std::uint16_t kHookFileCreate = 0x0420;
constexpr std::uint16_t kHookFileDelete = 0x0423;
constexpr std::uint16_t kHookFileRundown = 0x0424;

constexpr std::uint8_t kGroupDisk = 0x01;
constexpr std::uint8_t kGroupFault = 0x02;
constexpr std::uint8_t kGroupFile = 0x04;
constexpr std::uint8_t kGroupPerfInfo = 0x0F;

// Of merge tools: their class SysConfig, and its VolumeMapping (kernel_layout_table.cpp).
const Guid& merge_class() {
  static const Guid guid = *parse_guid("9b79ee91-b5fd-41c0-a243-4248e266e9d0");
  return guid;
}
constexpr std::uint8_t kOpcodeVolumeMapping = 35;

// Microsoft-Windows-Kernel-File, whose events have the same keys.
const Guid& kernel_file() {
  static const Guid guid = *parse_guid("edd08927-9cc4-4e65-b970-c2560fb5c289");
  return guid;
}

}  // namespace

bool NameLimits::take(std::size_t& left, std::size_t size) {
  if (left == 0 || size > bytes) {
    ++over_limit;
    return false;
  }
  --left;
  bytes -= size;
  return true;
}

void NameHistory::add(std::uint64_t id, std::int64_t time, bool begins, std::string_view name,
                      NameLimits& limits) {
  if (name.empty()) return;
  const std::string key(name);
  auto at = names_.find(key);
  const bool is_new = at == names_.end();
  if (!limits.take(limits.entries, kEntryBytes + (is_new ? kEntryBytes + name.size() : 0))) return;
  if (is_new) at = names_.insert(key).first;
  entries_.push_back({id, time, *at, begins});
}

void NameHistory::sort() {
  std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.id, a.time) < std::tie(b.id, b.time);
  });
}

std::string_view NameHistory::find(std::uint64_t id, std::int64_t time) const {
  const auto after = std::upper_bound(entries_.begin(), entries_.end(), std::tie(id, time),
                                      [](const auto& wanted, const Entry& entry) {
                                        return wanted < std::tie(entry.id, entry.time);
                                      });
  if (after != entries_.end() && after->id == id && !after->begins) return after->name;
  if (after != entries_.begin() && std::prev(after)->id == id) return std::prev(after)->name;
  return {};
}

void SessionNames::add_process(const DecodedEvent& event, std::int64_t time, NameLimits& limits) {
  processes_.add(number_in(event.fields, "ProcessId"), time,
                 event.header.hook_id == kHookProcessStart, text_in(event.fields, "ImageFileName"),
                 limits);
}

void SessionNames::add_image(const DecodedEvent& event, NameLimits& limits) {
  const std::uint64_t base = number_in(event.fields, "ImageBase");
  const std::string path = text_in(event.fields, "FileName");
  if (base == 0 || path.empty()) return;
  std::string name = path.substr(path.find_last_of('\\') + 1);
  name.resize(std::min(name.size(), kMaxImageNameBytes));
  if (!limits.take(limits.images, 2 * kEntryBytes + name.size())) return;
  const auto process = static_cast<std::uint32_t>(number_in(event.fields, "ProcessId"));
  images_.set(images_.key_of(process, base), {number_in(event.fields, "ImageSize"),
                                              static_cast<std::uint32_t>(image_names_.size())});
  image_names_.push_back(std::move(name));
}

void SessionNames::add_file(const RecordHeader& header, const Record& record, NameLimits& limits) {
  const unsigned pointer_bytes = record.pointer_bytes;
  if (header.payload.size() < pointer_bytes) return;
  Bytes name = header.payload.subspan(pointer_bytes);
  std::size_t end = 0;
  while (end + 2 <= name.size() && load<std::uint16_t>(name.data() + end) != 0) end += 2;
  const bool begins = header.hook_id == kHookFileName || header.hook_id == kHookFileCreate;
  files_.add(pointer_at(header.payload.data(), pointer_bytes), record.time, begins,
             utf8_of_utf16(name.first(end)), limits);
}

void SessionNames::add_volume(const DecodedEvent& event, NameLimits& limits) {
  std::string from = text_in(event.fields, "NtPath");
  std::string to = text_in(event.fields, "DosPath");
  if (from.empty() || !limits.take(limits.volumes, kEntryBytes + from.size() + to.size())) return;
  volumes_.emplace_back(std::move(from), std::move(to));
}

void SessionNames::add(const Record& record, Decoder& decoder, DecodedEvent& event,
                       NameLimits& limits) {
  if (record.kind == RecordKind::full && load_guid(record.data + 0x18) == merge_class()) {
    decoder.decode(record, event);
    if (event.header.opcode == kOpcodeVolumeMapping) add_volume(event, limits);
    return;
  }
  const RecordHeader header = decode_header(record);
  if (!header.is_kernel()) return;
  const std::uint16_t hook = header.hook_id;
  if (hook >= kHookProcessStart && hook <= kHookProcessRundownEnd) {
    decoder.decode(record, event);
    add_process(event, record.time, limits);
  } else if (hook == kHookImageLoad || (hook >= kHookImageUnload && hook <= kHookImageRundownEnd)) {
    decoder.decode(record, event);
    add_image(event, limits);
  } else if (hook == kHookFileName || hook == kHookFileCreate || hook == kHookFileDelete ||
             hook == kHookFileRundown) {
    add_file(header, record, limits);
  } else {
    return;
  }
  empty_ = false;
}

std::string SessionNames::without_volume(std::string_view kernel_path) const {
  constexpr std::string_view kShares = R"(\Device\Mup\)";
  if (equal_but_for_case(kernel_path.substr(0, kShares.size()), kShares)) {
    return R"(\\)" + std::string(kernel_path.substr(kShares.size()));
  }
  const bool names_no_device = kernel_path.size() > 1 && kernel_path[0] == '\\' &&
                               kernel_path[1] != '\\' && !kernel_path.starts_with(R"(\Device\)");
  for (const auto& [from, to] : volumes_) {
    if (names_no_device && from == R"(\SystemRoot\)") {
      return to.substr(0, to.find('\\')) + std::string(kernel_path);
    }
  }
  return std::string(kernel_path);
}

std::string SessionNames::path(std::string_view kernel_path) const {
  const std::pair<std::string, std::string>* longest = nullptr;
  for (const auto& volume : volumes_) {
    const std::size_t length = volume.first.size();
    if (kernel_path.size() < length || (longest != nullptr && longest->first.size() >= length) ||
        !equal_but_for_case(kernel_path.substr(0, length), volume.first)) {
      continue;
    }
    longest = &volume;
  }
  if (longest == nullptr) return without_volume(kernel_path);
  return longest->second + std::string(kernel_path.substr(longest->first.size()));
}

std::string SessionNames::image(std::uint32_t process, std::uint64_t address) const {
  const auto place = images_.find(process, address);
  return place ? fmt::format("{}+{:#x}", image_names_[place->number], place->offset)
               : std::string();
}

TraceNames::TraceNames(const std::vector<const TraceFile*>& files) {
  TraceReader reader(files, ReadOrder::file);
  Decoder decoder;
  DecodedEvent event;
  while (const Record* record = reader.next()) {
    auto& names = sessions_[&reader.header()];
    if (!names) {
      names = std::make_unique<SessionNames>();
      names->images_.set_pointer_bytes(reader.header().pointer_bytes);
    }
    names->add(*record, decoder, event, limits_);
  }
  for (auto& [session, names] : sessions_) {
    names->processes_.sort();
    names->files_.sort();
  }
}

const SessionNames& TraceNames::of(const LogFileHeader& session) const {
  static const SessionNames kNone;
  const auto at = sessions_.find(&session);
  return at == sessions_.end() ? kNone : *at->second;
}

std::string TraceNames::limits() const {
  if (limits_.over_limit == 0) return {};
  return fmt::format("names of processes, files, images and volumes without room: {}",
                     limits_.over_limit);
}

void append_process_name(const NamedEvent& named, std::string& out) {
  if (named.names == nullptr || named.names->empty()) return;
  const std::uint32_t process = named.event.header.process_id;
  if (process != RecordHeader::kNoId) out += named.names->process(process, named.record.time);
}

void append_file_name(const NamedEvent& named, std::string& out) {
  if (named.names == nullptr || named.names->empty()) return;
  const RecordHeader& header = named.event.header;
  const unsigned group = header.hook_id >> 8;
  const bool of_files = header.is_kernel()
                            ? group == kGroupDisk || group == kGroupFault || group == kGroupFile ||
                                  group == 0x14 || header.hook_id == kHookImageLoad
                            : header.provider == kernel_file();
  if (!of_files) return;
  for (std::string_view name : {"FileName", "OpenPath"}) {
    const std::string kernel_path = text_in(named.event.fields, name);
    // A search has a pattern for a name.
    if (kernel_path.find('\\') != std::string::npos) {
      out += named.names->path(kernel_path);
      return;
    }
  }
  for (std::string_view name : {"FileKey", "FileObject"}) {
    const std::uint64_t key = number_in(named.event.fields, name);
    if (key == 0) continue;
    const std::string path = named.names->file(key, named.record.time);
    out += path;
    if (!path.empty()) return;
  }
}

void append_image_name(const NamedEvent& named, std::string& out) {
  if (named.names == nullptr || named.names->empty()) return;
  const RecordHeader& header = named.event.header;
  const unsigned group = header.hook_id >> 8;
  if (!header.is_kernel() || (group != kGroupPerfInfo && group != kGroupFault)) return;
  constexpr std::array<std::string_view, 4> kAddresses = {"InstructionPointer", "ProgramCounter",
                                                          "Routine", "SysCallAddress"};
  for (std::string_view name : kAddresses) {
    const std::uint64_t address = number_in(named.event.fields, name);
    if (address == 0) continue;
    out += named.names->image(header.process_id, address);
    return;
  }
}

namespace {

constexpr std::array<std::pair<std::string_view, void (*)(const NamedEvent&, std::string&)>, 3>
    kNames = {{{"process", append_process_name},
               {"file", append_file_name},
               {"image", append_image_name}}};

// Calls append_one with each name that the event has, and what it is a name of.
template <typename AppendOne>
void for_each_name(const NamedEvent& named, AppendOne append_one) {
  if (named.names == nullptr || named.names->empty()) return;
  std::string text;
  for (const auto& [what, append] : kNames) {
    text.clear();
    append(named, text);
    if (!text.empty()) append_one(what, text);
  }
}

}  // namespace

void append_names_tsv(const NamedEvent& named, std::string& out) {
  for_each_name(named, [&out](std::string_view what, const std::string& name) {
    out += '\t';
    out += what;
    out += '=';
    append_escaped(name, out);
  });
}

void visit_names(const NamedEvent& named, const NameVisitor& visit) {
  for_each_name(named, visit);
}

void append_names_json(const NamedEvent& named, std::string& out) {
  for_each_name(named, [&out](std::string_view what, const std::string& name) {
    out += ",\"";
    out += what;
    out += "\":";
    append_json_string(name, out);
  });
}

}  // namespace tailgate::etl
