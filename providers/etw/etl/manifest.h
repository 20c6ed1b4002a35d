// Instrumentation manifests: the XML that describes a registered provider's events (.man), and that
// an EventSource sends through its own stream. Source: the event manifest schema (eventman.xsd).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "providers/etw/etl/bytes.h"
#include "providers/etw/etl/event_info.h"

namespace tailgate::etl {

struct Manifest {
  std::vector<EventInfo> events;  // of all its providers; maps resolved
  std::vector<std::pair<Guid, std::string>> providers;
};

// Parses XML in UTF-8 or UTF-16. source: whether an EventSource sent it or a user named a file.
// Throws Error when it is not XML or describes no provider. Events whose template uses an unknown
// type are left out; their count is added to *skipped_events.
Manifest parse_manifest(Bytes xml, SchemaSource source, std::size_t* skipped_events);

// Puts an EventSource's manifest together from its chunks: payloads of event id 0xFFFE.
class ManifestAssembler {
 public:
  // Takes a chunk; returns the whole XML once its last chunk is in, else nothing. Limits: 4 MB a
  // manifest, 8 incomplete manifests at a time (the oldest goes).
  std::vector<std::uint8_t> add(const Guid& provider, std::uint32_t process_id, Bytes payload);

  // Manifests of which chunks are still missing.
  std::size_t incomplete() const { return pending_.size(); }
  std::size_t bad_chunks() const { return bad_chunks_; }

 private:
  struct Pending {
    Guid provider;
    std::uint32_t process_id;
    std::uint16_t version;  // major, minor
    std::uint16_t total;
    std::size_t bytes = 0;
    std::size_t received = 0;
    std::vector<std::vector<std::uint8_t>> chunks;
  };
  std::vector<Pending> pending_;
  std::size_t bad_chunks_ = 0;
};

}  // namespace tailgate::etl
