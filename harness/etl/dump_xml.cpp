#include "harness/etl/dump_xml.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "harness/base/quoting.h"
#include "harness/etl/no_processor.h"
#include "harness/etl/payload.h"
#include "harness/etl/trace_names.h"
#include "harness/etl/value_text.h"

namespace tailgate::etl {
namespace {

constexpr std::string_view kEventSpace = "http://schemas.microsoft.com/win/2004/08/events/event";
constexpr std::string_view kTraceSpace = "http://schemas.microsoft.com/win/2004/08/events/trace";
constexpr std::string_view kOwnSpace = "urn:tailgate:etl";

// Writes text between tags and in attributes.
class XmlText {
 public:
  XmlText(std::uint64_t& replaced, std::string& out) : replaced_(replaced), out_(out) {}

  void text(std::string_view text) { out_ += xml_text(text, replaced_); }
  void attribute(std::string_view name, std::string_view value) {
    fmt::format_to(std::back_inserter(out_), " {}=\"", name);
    text(value);
    out_ += '"';
  }
  void guid(std::string_view name, const std::uint8_t* guid) {
    char text[36];
    write_guid(guid, text);
    fmt::format_to(std::back_inserter(out_), " {}=\"{{{}}}\"", name,
                   std::string_view(text, sizeof text));
  }
  template <class Number>
  void number(std::string_view element, Number value) {
    fmt::format_to(std::back_inserter(out_), "<{0}>{1}</{0}>", element, value);
  }

 private:
  std::uint64_t& replaced_;
  std::string& out_;
};

// The elements of an event's fields.
class FieldElements {
 public:
  FieldElements(std::uint64_t& replaced, std::string& out)
      : xml_(replaced, out), out_(out), limit_(out.size() + kMaxFieldsTextBytes) {}

  // Returns false when there is no room for more fields; all elements are closed then.
  bool append(const std::vector<Field>& fields) {
    for (const Field& field : fields) {
      if (out_.size() >= limit_) {
        while (!open_.empty()) close();
        return false;
      }
      append(field);
    }
    return true;
  }

 private:
  struct Open {
    std::string_view name;  // of an array: its elements have none of their own
    bool is_array;
  };

  void append(const Field& field) {
    switch (field.kind) {
      case Field::Kind::begin_array:
        open_.push_back({name_of(field), true});
        return;
      case Field::Kind::begin_structure:
        start("ComplexData", name_of(field));
        open_.push_back({"", false});
        return;
      case Field::Kind::end_array:
      case Field::Kind::end_structure:
        return close();
      case Field::Kind::value:
        start("Data", name_of(field));
        value_.clear();
        append_value(field, value_);
        xml_.text(value_);
        out_ += "</Data>";
    }
  }

  std::string_view name_of(const Field& field) const {
    const bool within_array = !open_.empty() && open_.back().is_array;
    return field.name.empty() && within_array ? open_.back().name : field.name;
  }

  void start(std::string_view element, std::string_view name) {
    out_ += '<';
    out_ += element;
    if (!name.empty()) xml_.attribute("Name", name);
    out_ += '>';
  }

  void close() {
    if (open_.empty()) return;
    if (!open_.back().is_array) out_ += "</ComplexData>";
    open_.pop_back();
  }

  XmlText xml_;
  std::string& out_;
  std::size_t limit_;
  std::vector<Open> open_;
  std::string value_;
};

void append_correlation(const RecordHeader& header, XmlText& xml, std::string& out) {
  out += "<Correlation";
  if (!header.activity.is_zero()) xml.guid("ActivityID", header.activity.bytes.data());
  ExtendedCursor cursor(header.extended);
  ExtendedItem item;
  while (cursor.next(item)) {
    if (item.type != ExtendedType::related_activity_id || item.data.size() < 16) continue;
    xml.guid("RelatedActivityID", item.data.data());
    break;
  }
  out += "/>";
}

void append_execution(const EventView& view, XmlText& xml, std::string& out) {
  const RecordHeader& header = view.event.header;
  out += "<Execution";
  if (header.process_id != RecordHeader::kNoId) {
    xml.attribute("ProcessID", std::to_string(header.process_id));
  }
  if (header.thread_id != RecordHeader::kNoId) {
    xml.attribute("ThreadID", std::to_string(header.thread_id));
  }
  if (view.record.processor != kNoProcessor) {
    xml.attribute("ProcessorID", std::to_string(view.record.processor));
  }
  if (has_cpu_times(view.record, header)) {
    xml.attribute("KernelTime", std::to_string(header.kernel_time_ticks));
    xml.attribute("UserTime", std::to_string(header.user_time_ticks));
  }
  out += "/>";
}

void append_system(const EventView& view, XmlText& xml, std::string& out) {
  const RecordHeader& header = view.event.header;
  out += "<System><Provider";
  xml.attribute("Name", view.event.provider_name);
  if (!header.provider.is_zero()) xml.guid("Guid", header.provider.bytes.data());
  out += "/>";
  xml.number("EventID", header.id);
  xml.number("Version", header.version);
  xml.number("Level", header.level);
  xml.number("Task", header.task);
  xml.number("Opcode", header.opcode);
  xml.number("Keywords", fmt::format("{:#x}", header.keyword));
  out += "<TimeCreated";
  xml.attribute("SystemTime", filetime_text(view.clock.filetime(view.record.time)));
  out += "/>";
  append_correlation(header, xml, out);
  append_execution(view, xml, out);
  out += "<Channel/><Computer/></System>";
}

// The fields; or the whole payload, where no schema describes it. Returns whether all are there.
bool append_data(const DecodedEvent& event, std::uint64_t& replaced, std::string& out) {
  if (event.schema == nullptr && !event.undecoded.empty()) {
    out += "<BinaryEventData>";
    append_hex(event.undecoded, out);
    out += "</BinaryEventData>";
    return event.complete;
  }
  out += "<EventData>";
  const bool whole = FieldElements(replaced, out).append(event.fields) && event.complete;
  out += "</EventData>";
  return whole;
}

void append_rendering(const DecodedEvent& event, XmlText& xml, std::string& out) {
  out += "<RenderingInfo Culture=\"en-US\">";
  if (!event.message.empty()) {
    out += "<Message>";
    xml.text(event.message);
    out += "</Message>";
  }
  fmt::format_to(std::back_inserter(out), "<EventName xmlns=\"{}\">", kTraceSpace);
  xml.text(event.event_name);
  out += "</EventName></RenderingInfo>";
}

void append_misfit(const DecodedEvent& event, bool whole, XmlText& xml, std::string& out) {
  if (whole && event.fits() && !event.other_version()) return;
  fmt::format_to(std::back_inserter(out), "<Misfit xmlns=\"{}\"", kOwnSpace);
  if (event.schema != nullptr && !event.undecoded.empty()) {
    std::string bytes = "0x";
    append_hex(event.undecoded, bytes);
    xml.attribute("LeftOver", bytes);
  }
  if (event.missing_fields != 0) xml.attribute("Missing", std::to_string(event.missing_fields));
  if (const auto version = event.other_version()) {
    xml.attribute("LayoutVersion", std::to_string(*version));
  }
  if (!whole) xml.attribute("Damaged", "true");
  out += "/>";
}

void append_names(const EventView& view, XmlText& xml, std::string& out) {
  bool any = false;
  visit_names({view.event, view.record, view.names},
              [&](std::string_view what, const std::string& name) {
                if (!any) fmt::format_to(std::back_inserter(out), "<Names xmlns=\"{}\"", kOwnSpace);
                any = true;
                xml.attribute(what, name);
              });
  if (any) out += "/>";
}

}  // namespace

void append_xml(const EventView& view, std::uint64_t& replaced, std::string& out) {
  XmlText xml(replaced, out);
  fmt::format_to(std::back_inserter(out), "<Event xmlns=\"{}\">", kEventSpace);
  append_system(view, xml, out);
  const bool whole = append_data(view.event, replaced, out);
  append_rendering(view.event, xml, out);
  append_misfit(view.event, whole, xml, out);
  append_names(view, xml, out);
  out += "</Event>\n";
}

}  // namespace tailgate::etl
