#include "harness/etl/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "harness/base/quoting.h"
#include "harness/etl/container.h"
#include "harness/etl/made_up.h"
#include "harness/etl/trace_reader.h"
#include "harness/etl/undescribed.h"

namespace tailgate::etl {
namespace {

using Json = nlohmann::ordered_json;

struct ProviderCount {
  std::string name;
  std::uint64_t events = 0;
  std::uint64_t undecoded = 0;
};

struct FileCounts {
  std::uint64_t records = 0;
  std::uint64_t undecoded = 0;  // events without a schema
  std::uint64_t misfits = 0;    // events whose payload does not fit the schema
  std::map<std::uint16_t, std::uint64_t> buffers_by_processor;
  std::map<std::string, std::uint64_t> records_by_kind;
  std::map<Guid, ProviderCount> providers;
  std::optional<std::int64_t> first_raw;
  std::optional<std::int64_t> last_raw;
  ReadDamage damage;
  MadeUpKinds made_up;
  std::map<std::string_view, std::uint64_t> undescribed;
};

FileCounts count_file(const TraceFile& file, Decoder& decoder) {
  // A limit: a hostile file could name a new provider in every record.
  constexpr std::size_t kMaxProviders = 65536;
  FileCounts counts;
  counts.made_up.add(file);
  for (const BufferRef& buffer : file.buffers()) ++counts.buffers_by_processor[buffer.processor];
  TraceReader reader({&file}, ReadOrder::file);
  DecodedEvent event;
  std::uint64_t by_kind[10] = {};
  while (const Record* next = reader.next()) {
    const Record& record = *next;
    decoder.decode(record, event);
    ++counts.records;
    counts.made_up.add(record, event.header);
    ++by_kind[static_cast<std::size_t>(record.kind)];
    if (!event.schema) ++counts.undecoded;
    if (const std::string_view what = undescribed_event(event.header); !what.empty()) {
      ++counts.undescribed[what];
    }
    if (!event.fits()) ++counts.misfits;
    counts.first_raw = std::min(counts.first_raw.value_or(record.time), record.time);
    counts.last_raw = std::max(counts.last_raw.value_or(record.time), record.time);
    if (counts.providers.size() >= kMaxProviders) continue;
    ProviderCount& provider = counts.providers[event.header.provider];
    if (provider.events++ == 0) provider.name = std::string(event.provider_name);
    if (!event.schema) ++provider.undecoded;
  }
  for (std::size_t kind = 0; kind < std::size(by_kind); ++kind) {
    if (by_kind[kind] == 0) continue;
    counts.records_by_kind[std::string(kind_name(static_cast<RecordKind>(kind)))] = by_kind[kind];
  }
  counts.damage = reader.damage();
  return counts;
}

std::string mode_names(std::uint32_t mode) {
  static constexpr std::pair<std::uint32_t, std::string_view> kNames[] = {
      {0x1, "sequential"},
      {0x2, "circular"},
      {0x4, "append"},
      {0x8, "new_file"},
      {0x10, "ms_flush_timer"},
      {0x20, "preallocate"},
      {0x40, "nonstoppable"},
      {0x80, "secure"},
      {0x100, "real_time"},
      {0x400, "buffering"},
      {0x800, "private_logger"},
      {0x1000, "add_header"},
      {0x4000, "global_sequence"},
      {0x8000, "local_sequence"},
      {0x10000, "relogged"},
      {0x20000, "private_in_proc"},
      {0x1000000, "paged_memory"},
      {0x2000000, "system_logger"},
      {0x4000000, "compressed"},
      {0x8000000, "independent_session"},
      {0x10000000, "no_per_processor_buffering"}};
  std::string text;
  for (auto [bit, name] : kNames) {
    if (!(mode & bit)) continue;
    if (!text.empty()) text += ' ';
    text += name;
  }
  return text;
}

std::string_view compression_name(CompressionFormat format) {
  switch (format) {
    case CompressionFormat::lznt1:
      return "lznt1";
    case CompressionFormat::xpress:
      return "xpress";
    case CompressionFormat::xpress_huffman:
      return "xpress_huffman";
    case CompressionFormat::none:
      return "none";
  }
  return "unknown";
}

std::string_view clock_name(ClockType type) {
  switch (type) {
    case ClockType::system_time:
      return "system_time";
    case ClockType::cpu_cycles:
      return "cpu_cycles";
    case ClockType::performance_counter:
      break;
  }
  return "performance_counter";
}

Json session_json(const Epoch& epoch) {
  const LogFileHeader& header = epoch.header;
  Json json;
  json["session_name"] = header.session_name;
  json["log_file_name"] = header.log_file_name;
  json["os_version"] = fmt::format("{}.{}.{}", header.os_major, header.os_minor, header.os_build);
  json["format_version"] = fmt::format("{}.{}", header.format_major, header.format_minor);
  json["start_utc"] = filetime_text(header.start_filetime);
  json["end_utc"] = header.end_filetime ? filetime_text(header.end_filetime) : "";
  json["boot_utc"] = filetime_text(header.boot_filetime);
  json["time_zone"] = header.time_zone.standard_name;
  json["utc_offset_minutes"] = header.time_zone.offset_minutes(header.start_filetime);
  json["mode"] = fmt::format("{:#x}", header.mode);
  json["mode_names"] = mode_names(header.mode);
  json["compression"] = compression_name(header.compression);
  json["clock"] = clock_name(header.clock_type);
  json["clock_hz"] = epoch.clock.ticks_per_second();
  json["pointer_bytes"] = header.pointer_bytes;
  json["processors"] = header.processors;
  json["cpu_mhz"] = header.cpu_mhz;
  json["buffer_bytes"] = header.buffer_bytes;
  json["buffers"] = epoch.buffers;
  json["buffers_written"] = header.buffers_written;
  json["closed_properly"] = epoch.closed_properly;
  json["events_lost"] = header.events_lost;
  json["buffers_lost"] = header.buffers_lost;
  json["buffers_flagged_events_lost"] = epoch.buffers_flagged_events_lost;
  json["buffers_flagged_buffer_lost"] = epoch.buffers_flagged_buffer_lost;
  json["buffers_flagged_backup_corrupt"] = epoch.buffers_flagged_backup_corrupt;
  json["sequence_gaps"] = epoch.sequence_gaps;
  json["repeated_sequence_numbers"] = epoch.repeated_sequence_numbers;
  json["buffers_overwritten"] = epoch.buffers_overwritten;
  return json;
}

Json damage_json(const TraceFile& file, const FileCounts& counts) {
  const FramingDamage& framing = file.damage();
  Json json;
  json["bad_buffer_headers"] = framing.bad_buffer_headers;
  json["skipped_bytes"] = framing.skipped_bytes;
  json["truncated_buffers"] = framing.truncated_buffers;
  json["undecodable_header_records"] = framing.undecodable_header_records;
  json["damaged_buffers"] = counts.damage.damaged_buffers;
  json["unread_bytes"] = counts.damage.unread_bytes;
  json["undecompressable_buffers"] = counts.damage.undecompressable_buffers;
  json["unread_buffers"] = counts.damage.unread_buffers;
  json["unknown_records"] = counts.damage.unknown_records;
  json["payloads_that_misfit_their_schema"] = counts.misfits;
  return json;
}

Json schemas_json(const SchemaCounts& counts) {
  Json json;
  json["event_infos"] = counts.event_infos;
  json["maps"] = counts.maps;
  json["stream_manifests"] = counts.stream_manifests;
  json["manifest_events"] = counts.manifest_events;
  json["tmf_messages"] = counts.tmf_messages;
  json["unusable"] = counts.unusable;
  json["incomplete_manifests"] = counts.incomplete_manifests;
  json["dropped_over_limit"] = counts.dropped_over_limit;
  return json;
}

// To two digits behind the point: a trace's bytes for one of what they are stored in.
double ratio(std::uint64_t bytes, std::uint64_t stored) {
  return std::round(100 * static_cast<double>(bytes) / static_cast<double>(stored)) / 100;
}

// What compressed buffers and the container save: a trace's bytes for one that is stored.
void add_compression(const TraceFile& file, const ContainerBytes* container, Json& json) {
  std::uint64_t compressed = 0;
  std::uint64_t stored = 0;
  std::uint64_t filled = 0;
  for (const BufferRef& buffer : file.buffers()) {
    if ((buffer.flags & kCompressed) == 0) continue;
    ++compressed;
    stored += buffer.size_bytes;
    filled += buffer.filled_bytes;
  }
  json["compressed_buffers"] = compressed;
  if (compressed != 0) {
    json["compressed_buffers_bytes"] = stored;
    json["decompressed_buffers_bytes"] = filled;
    json["compression_ratio"] = ratio(filled, stored);
  }
  if (container == nullptr) return;
  json["container_bytes"] = container->packed;
  json["container_traces_bytes"] = container->unpacked;
  json["container_other_files"] = container->other_members;
  // Of a container with other files, nothing says which of its bytes are those of traces.
  if (container->other_members == 0 && container->packed != 0) {
    json["container_ratio"] = ratio(container->unpacked, container->packed);
  }
}

Json info_json(const TraceFile& file, const FileCounts& counts, const SchemaCounts& schemas,
               const ContainerBytes* container) {
  Json json;
  json["file"] = file.name();
  json["bytes"] = file.bytes().size();
  json["buffers"] = file.buffers().size();
  add_compression(file, container, json);
  json["unused_tail_bytes"] = file.unused_tail_bytes();
  json["sessions"] = Json::array();
  for (const Epoch& epoch : file.epochs()) json["sessions"].push_back(session_json(epoch));
  json["records"] = counts.records;
  json["undecoded_records"] = counts.undecoded;
  if (counts.first_raw) {
    json["first_event_utc"] = filetime_text(file.clock().filetime(*counts.first_raw));
    json["last_event_utc"] = filetime_text(file.clock().filetime(*counts.last_raw));
  }
  json["records_by_kind"] = counts.records_by_kind;
  for (auto [processor, buffers] : counts.buffers_by_processor) {
    json["buffers_by_processor"][std::to_string(processor)] = buffers;
  }
  // Of what only made-up data tests; `tailgate etl anonymize` makes a copy to give away.
  json["tested_on_made_up_data_only"] = counts.made_up.counts();
  json["without_public_description"] = Json::object();
  for (const auto& [what, records] : counts.undescribed) {
    json["without_public_description"][std::string(what)] = records;
  }
  json["damage"] = damage_json(file, counts);
  json["schemas"] = schemas_json(schemas);
  json["providers"] = Json::array();
  for (const auto& [guid, provider] : counts.providers) {
    json["providers"].push_back({{"name", provider.name},
                                 {"guid", to_text(guid)},
                                 {"events", provider.events},
                                 {"undecoded", provider.undecoded}});
  }
  return json;
}

// Appends the JSON for human readers: one "key: value" per line, nested objects indented.
void append_plain(const Json& json, int indent, std::string& out) {
  for (const auto& [key, value] : json.items()) {
    if (key == "providers") continue;
    out.append(static_cast<std::size_t>(indent), ' ');
    if (value.is_object()) {
      out += key + (value.empty() ? ": none\n" : ":\n");
      append_plain(value, indent + 2, out);
    } else if (value.is_array()) {
      for (const Json& entry : value) {
        out += key + ":\n";
        append_plain(entry, indent + 2, out);
      }
    } else {
      const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
      out += printable(key) + ": " + printable(text) + "\n";
    }
  }
}

std::string json_object(const Json& json) {
  return json_text(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

struct StatKey {
  std::string_view provider;
  std::string_view event;
  std::uint16_t version;
  auto operator<=>(const StatKey&) const = default;
};

// What became of payloads: every byte is used, padding, left over or undecoded.
struct PayloadBytes {
  std::uint64_t payload = 0;
  std::uint64_t padding = 0;
  std::uint64_t left_over = 0;  // behind the schema's last field, or behind damage
  std::uint64_t undecoded = 0;  // of events without a schema
  std::uint64_t missing_fields = 0;
  std::uint64_t misfits = 0;  // events

  void add(const DecodedEvent& event) {
    payload += event.header.payload.size();
    padding += event.padding_bytes;
    (event.schema ? left_over : undecoded) += event.undecoded.size();
    missing_fields += event.missing_fields;
    if (!event.fits()) ++misfits;
  }
  void add(const PayloadBytes& other) {
    payload += other.payload;
    padding += other.padding;
    left_over += other.left_over;
    undecoded += other.undecoded;
    missing_fields += other.missing_fields;
    misfits += other.misfits;
  }
  std::uint64_t used() const { return payload - padding - left_over - undecoded; }
};

struct StatCount {
  std::uint64_t events = 0;
  PayloadBytes bytes;
  bool decoded = false;
  bool described = true;                        // false: by nothing public, see undescribed.h
  std::optional<std::uint16_t> layout_version;  // when it is not the event's
};

struct Stats {
  // The keys' names. Rows share them: a long name of a provider would multiply by its events.
  std::unordered_set<std::string> names;
  std::map<StatKey, StatCount> rows;

  std::string_view keep(std::string_view name) { return *names.emplace(name).first; }
};

Stats count_events(const std::vector<const TraceFile*>& files, Decoder& decoder) {
  constexpr std::size_t kMaxRows = 65536;
  Stats stats;
  TraceReader reader(files, ReadOrder::file);
  DecodedEvent event;
  while (const Record* next = reader.next()) {
    const Record& record = *next;
    decoder.decode(record, event);
    StatKey key{event.provider_name, event.event_name, event.header.version};
    auto at = stats.rows.find(key);
    if (at == stats.rows.end()) {
      if (stats.rows.size() >= kMaxRows) key = {"(more than 65536 kinds of event)", "", 0};
      key = {stats.keep(key.provider), stats.keep(key.event), key.version};
      at = stats.rows.try_emplace(key).first;
    }
    ++at->second.events;
    at->second.bytes.add(event);
    at->second.decoded = event.schema != nullptr;
    at->second.described = undescribed_event(event.header).empty();
    if (auto version = event.other_version()) at->second.layout_version = version;
  }
  return stats;
}

void add_bytes(const PayloadBytes& bytes, Json& json) {
  json["padding_bytes"] = bytes.padding;
  json["left_over_bytes"] = bytes.left_over;
  json["undecoded_bytes"] = bytes.undecoded;
  json["missing_fields"] = bytes.missing_fields;
  json["misfits"] = bytes.misfits;
}

std::string stat_json(const StatKey& key, const StatCount& count) {
  Json json = {{"provider", key.provider},
               {"event", key.event},
               {"version", key.version},
               {"events", count.events},
               {"payload_bytes", count.bytes.payload},
               {"decoded", count.decoded}};
  add_bytes(count.bytes, json);
  if (count.layout_version) json["layout_version"] = *count.layout_version;
  if (!count.described) json["without_public_description"] = true;
  return json_object(json);
}

// What does not fit, in brackets; empty when everything does.
std::string misfit_text(const StatCount& count) {
  constexpr std::string_view kNoDescription = "no public description";
  if (!count.decoded) {
    return count.described ? "  (undecoded)" : fmt::format("  (undecoded: {})", kNoDescription);
  }
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  const PayloadBytes& bytes = count.bytes;
  if (bytes.misfits != 0) add(fmt::format("{} misfits", bytes.misfits));
  if (bytes.left_over != 0) add(fmt::format("{} bytes left over", bytes.left_over));
  if (bytes.missing_fields != 0) add(fmt::format("{} fields missing", bytes.missing_fields));
  if (count.layout_version) add(fmt::format("layout of version {}", *count.layout_version));
  if (!count.described) add(fmt::format("what its bits mean has {}", kNoDescription));
  return text.empty() ? text : "  (" + text + ")";
}

std::string stat_line(const StatKey& key, const StatCount& count) {
  return fmt::format("{:>10} {:>12} {:>7}  {}/{}{}\n", count.events, count.bytes.payload,
                     key.version, printable(key.provider), printable(key.event),
                     misfit_text(count));
}

std::string sum_text(const PayloadBytes& sum) {
  return fmt::format(
      "bytes: {} used, {} padding, {} left over, {} undecoded; fields missing: {}; misfits: {}\n",
      sum.used(), sum.padding, sum.left_over, sum.undecoded, sum.missing_fields, sum.misfits);
}

std::string sum_json(const PayloadBytes& sum) {
  Json json = {{"payload_bytes", sum.payload}, {"used_bytes", sum.used()}};
  add_bytes(sum, json);
  return json_object(json);
}

}  // namespace

void report_info(const TraceFile& file, Decoder& decoder, TextFormat format, const TextSink& sink,
                 const ContainerBytes* container) {
  FileCounts counts = count_file(file, decoder);
  Json json = info_json(file, counts, decoder.counts(), container);
  if (format == TextFormat::json) {
    sink(json_object(json) + "\n");
    return;
  }
  std::string out;
  append_plain(json, 0, out);
  out += "providers:\n";
  for (const auto& [guid, provider] : counts.providers) {
    out += fmt::format(
        "  {:>10}  {}  {}{}\n", provider.events, to_text(guid), printable(provider.name),
        provider.undecoded ? fmt::format("  ({} undecoded)", provider.undecoded) : std::string());
  }
  sink(out);
}

void report_stats(const std::vector<const TraceFile*>& files, Decoder& decoder, TextFormat format,
                  const TextSink& sink) {
  Stats stats = count_events(files, decoder);
  std::vector<std::pair<StatKey, StatCount>> rows(stats.rows.begin(), stats.rows.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second.events > b.second.events; });
  const bool as_json = format == TextFormat::json;
  std::string out = as_json
                        ? "{\"events\":["
                        : fmt::format("{:>10} {:>12} {:>7}  event\n", "events", "bytes", "version");
  bool first = true;
  PayloadBytes sum;
  for (const auto& [key, count] : rows) {
    if (as_json && !first) out += ',';
    first = false;
    sum.add(count.bytes);
    out += as_json ? stat_json(key, count) : stat_line(key, count);
    if (out.size() < kFlushBytes) continue;
    if (!sink(out)) return;
    out.clear();
  }
  out += as_json ? "],\"sum\":" + sum_json(sum) + "}\n" : sum_text(sum);
  sink(out);
}

}  // namespace tailgate::etl
