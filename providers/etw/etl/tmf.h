// Trace message format files (.tmf): what WPP messages mean. Source: the documentation of TMF files
// and tracefmt in the Windows Driver Kit.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "providers/etw/etl/guid.h"
#include "providers/etw/etl/payload.h"
#include "providers/etw/etl/schema.h"

namespace tailgate::etl {

struct TmfMessage {
  EventSchema schema;    // message: the format, with %10!d! and so on
  std::string function;  // FUNC=, may be empty
  std::string source_file;
};

class TmfStore {
 public:
  // Adds the messages of one file's text. Throws Error when it holds none.
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

// Appends the message's format with its values put in. Argument n of the format is the property
// whose number in the TMF is n; what a value lacks becomes "<missing>".
void append_tmf_message(const TmfMessage& message, const std::vector<Field>& fields,
                        std::string& out);

}  // namespace tailgate::etl
