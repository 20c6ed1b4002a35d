// The sinks that a program knows, and how a user names one of them. Only the program's own main
// function fills a catalog; everyone else is handed it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/sink/sink.h"

namespace tailgate {

// A sink with its options: "file:mode=mmap:sync_every=100".
struct SinkChoice {
  std::shared_ptr<const SinkType> type;
  Options options;
  std::string text;  // as given, the label of plots and file names
};

// Adds behaviour to any sink. A choice that names one of its options gets the wrapped sink.
struct SinkWrapper {
  // Whether the wrapper has an option of that name.
  bool (*has_option)(std::string_view name);
  // The wrapped sink. It keeps the sink's name and has the wrapper's options beside the sink's own.
  std::unique_ptr<const SinkType> (*wrap)(std::shared_ptr<const SinkType> sink);
};

// What a process does with a sink: it chooses one and must survive any, or it opens its provider or
// consumer, for which a process is started.
enum class SinkUse { choose, open };

// Makes sinks of shared libraries, which are named by their path.
struct LibraryLoader {
  bool (*is_library)(std::string_view name);
  // Throws Error if the library cannot be used.
  std::shared_ptr<const SinkType> (*load)(std::string_view name, SinkUse use);
};

// Sinks by name. It does not move: a sink that uses others keeps a reference to the catalog.
class SinkCatalog {
 public:
  SinkCatalog() = default;
  SinkCatalog(const SinkCatalog&) = delete;
  SinkCatalog& operator=(const SinkCatalog&) = delete;

  // Sinks are listed in the order in which they were added. No two may have one name.
  void add(std::unique_ptr<const SinkType> sink);

  // Of several wrappers that a choice names, one that was added later is around the others.
  void add_wrapper(const SinkWrapper& wrapper) { wrappers_.push_back(wrapper); }

  void set_loader(const LibraryLoader& loader) { loader_ = loader; }

  const std::vector<std::shared_ptr<const SinkType>>& all() const { return sinks_; }

  // Throws Error that lists the known names (the nearest first).
  std::shared_ptr<const SinkType> find(std::string_view name) const;

  // The first sink that was added. It does nothing with its events, so the harness measures its own
  // cost on it.
  const SinkType& floor() const { return *sinks_.front(); }
  SinkChoice floor_choice() const { return choice(floor().name()); }

  // Reads "NAME:option=value:…"; NAME may be a library's path. Throws Error on an unknown sink, a
  // malformed pair or a bad option.
  SinkChoice choice(std::string_view text, SinkUse use = SinkUse::choose) const;

  // "null,file:mode=mmap" -> two choices. Throws Error on an empty list or a sink named twice with
  // the same options.
  std::vector<SinkChoice> choices(std::string_view text) const;

  // Has every sink sweep; what cannot be removed stays for the next run.
  void sweep_dead_sessions() const;

 private:
  std::vector<std::shared_ptr<const SinkType>> sinks_;
  std::vector<SinkWrapper> wrappers_;
  LibraryLoader loader_ = {[](std::string_view) { return false; }, nullptr};
};

}  // namespace tailgate
