// libtraceevent, the other implementation: tests compare our results with it, a benchmark our
// speed.
#pragma once

extern "C" {
#include <event-parse.h>
#include <kbuffer.h>
}

#include <memory>

namespace tailgate::tracefs {

using PeerPages = std::unique_ptr<kbuffer, void (*)(kbuffer*)>;

inline PeerPages peer_pages() {
  return {kbuffer_alloc(KBUFFER_LSIZE_SAME_AS_HOST, KBUFFER_ENDIAN_SAME_AS_HOST), kbuffer_free};
}

}  // namespace tailgate::tracefs
