// Trace message format files (.tmf), which describe WPP messages. Source: the documentation of TMF
// files and tracefmt in the Windows Driver Kit.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "harness/etl/guid.h"
#include "harness/etl/payload.h"
#include "harness/etl/schema.h"

namespace tailgate::etl {

struct TmfMessage {
  EventSchema schema;
  std::string format;  // with %10!d! and so on
};

class TmfStore {
 public:
  // Adds the messages of one file. Throws Error when it has none.
  void add(std::string_view text, const std::string& name);

  // The message of a GUID and number; null when no file described it.
  const TmfMessage* find(const Guid& guid, std::uint16_t number) const;

  std::size_t size() const { return messages_.size(); }

 private:
  struct Key {
    Guid guid;
    std::uint16_t number;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const { return GuidHash()(key.guid) ^ key.number; }
  };
  std::unordered_map<Key, std::unique_ptr<TmfMessage>, KeyHash> messages_;
};

// Appends the message's format with the values filled in. %n in the format is the property with
// number n in the TMF; a missing value becomes "<missing>". A format may name a long value often:
// returns false when it ended the message after 1 MB.
bool append_tmf_message(const TmfMessage& message, const std::vector<Field>& fields,
                        std::string& out);

}  // namespace tailgate::etl
