// Instrumentation manifests: XML that describes the events of a registered provider (.man). An
// EventSource sends its manifest in its own event stream. Source: the event manifest schema
// (eventman.xsd).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/etl/bytes.h"
#include "harness/etl/event_info.h"

namespace tailgate::etl {

struct Manifest {
  std::vector<EventInfo> events;  // events of all its providers, with their maps resolved
  std::vector<std::pair<Guid, SharedText>> providers;
};

// Parses XML in UTF-8 or UTF-16. source: an EventSource that sent it, or a file that the user
// named. Throws Error when it is not XML or describes no provider. Events whose template uses an
// unknown type, has more than 4,096 members or structures 16 deep are left out, and their number is
// added to *skipped_events. Events that use the same template, string or provider share it, so the
// result grows with the XML's size and not with a product of its parts.
Manifest parse_manifest(Bytes xml, SchemaSource source, std::size_t* skipped_events);

// Assembles an EventSource's manifest from its chunks, the payloads of events with id 0xFFFE.
class ManifestAssembler {
 public:
  // Takes a chunk. Returns the whole XML with the last missing chunk, else nothing. Limits: 4 MB
  // per manifest, and 8 incomplete manifests at a time (the oldest is dropped).
  std::vector<std::uint8_t> add(const Guid& provider, std::uint32_t process_id, Bytes payload);

  // Number of manifests with missing chunks.
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
