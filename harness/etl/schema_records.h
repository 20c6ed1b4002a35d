// Records that tell what events look like, not what happened.
#pragma once

#include "harness/etl/record.h"

namespace tailgate::etl {

// Whether a record is a schema that Decoder::learn() can use: an event info or a map of names that
// ETW writes when a session ends, or a part of an EventSource's manifest. Any event may have the
// manifest's id, and any record the class of event infos.
bool describes_events(const Record& record, const RecordHeader& header);

// Whether a payload is a part of a manifest: some XML behind the envelope that EventSource writes.
bool is_manifest_chunk(Bytes payload);

}  // namespace tailgate::etl
