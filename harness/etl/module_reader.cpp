#include "harness/etl/module_reader.h"

#include <string>

#include "harness/etl/event_fields.h"
#include "harness/etl/kernel_hooks.h"
#include "harness/etl/text.h"
#include "harness/etl/trace_reader.h"

namespace tailgate::etl {
namespace {

// ImageID/DbgID_RSDS, the class and opcode that kernel_layout_table.cpp describes.
const Guid kImageIdClass = *parse_guid("b3e675d7-2554-4f18-830b-2762732560de");
constexpr std::uint8_t kOpcodeRsds = 36;

std::string file_name_of(const std::string& path) {
  return path.substr(path.find_last_of("\\/") + 1);
}

bool is_image(std::uint16_t hook) {
  return hook == kHookImageLoad || (hook >= kHookImageUnload && hook <= kHookImageRundownEnd);
}

std::uint32_t process_in(const DecodedEvent& event) {
  return static_cast<std::uint32_t>(number_in(event.fields, "ProcessId"));
}

}  // namespace

ModuleReader::ModuleReader(unsigned pointer_bytes, Modules& modules) : modules_(modules) {
  modules_.set_pointer_bytes(pointer_bytes);
}

bool ModuleReader::add(const Record& record, const RecordHeader& header) {
  if (!header.is_kernel()) {
    if (header.opcode != kOpcodeRsds || header.provider != kImageIdClass) return false;
    decoder_.decode(record, event_);
    add_pdb(event_);
    return true;
  }
  if (!is_image(header.hook_id)) return false;
  decoder_.decode(record, event_);
  add_image(event_);
  return true;
}

void ModuleReader::add_image(const DecodedEvent& event) {
  const Field* name = find_field(event.fields, "FileName");
  const std::uint64_t base = number_in(event.fields, "ImageBase");
  if (name == nullptr || base == 0) return;
  modules_.add_image(process_in(event), base, number_in(event.fields, "ImageSize"),
                     file_name_of(utf8_of_utf16(name->data)));
}

void ModuleReader::add_pdb(const DecodedEvent& event) {
  const Field* name = find_field(event.fields, "PDBFileName");
  const Field* guid = find_field(event.fields, "GuidSig");
  if (name == nullptr || guid == nullptr || guid->data.size() != 16) return;
  modules_.add_pdb(process_in(event), number_in(event.fields, "ImageBase"),
                   file_name_of(utf8_of(name->data)),
                   pdb_id(load_guid(guid->data.data()),
                          static_cast<std::uint32_t>(number_in(event.fields, "Age"))));
}

Modules modules_in(const std::vector<const TraceFile*>& files, std::size_t clock) {
  TraceReader reader(files, ReadOrder::file);
  reader.read_only(clock);
  Modules modules;
  ModuleReader images(reader.header().pointer_bytes, modules);
  while (const Record* record = reader.next()) images.add(*record, decode_header(*record));
  modules.finish();
  return modules;
}

}  // namespace tailgate::etl
