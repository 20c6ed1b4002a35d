// The parts of a plugin in this process: a session, a provider, a consumer. Each passes its calls
// on to the table's functions and turns their errors into Error.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "harness/sink/sink.h"
#include "providers/plugin/include/tailgate/sink.h"

namespace tailgate::plugin_detail {

// Throws Error if the plugin says that it cannot be used; the text says why.
void check_usable(const tailgate_sink& table, const TrialContext& context);

// The table must outlive what these return.
std::unique_ptr<Session> make_session(const tailgate_sink& table, const TrialContext& context);
std::unique_ptr<Provider> open_provider(const tailgate_sink& table, const TrialContext& context);
std::unique_ptr<Consumer> open_consumer(const tailgate_sink& table, const TrialContext& context);

// A consumer of the file log_path(context): read_back is TAILGATE_READ_LINES or
// TAILGATE_READ_STREAM. Throws Error, also for other values.
std::unique_ptr<Consumer> open_log(std::uint32_t read_back, const std::string& name,
                                   const TrialContext& context);

}  // namespace tailgate::plugin_detail
