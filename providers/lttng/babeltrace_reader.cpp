#include "providers/lttng/babeltrace_reader.h"

#include <babeltrace2/babeltrace.h>
#include <fmt/format.h>

#include <memory>

#include "harness/base/error.h"

namespace tailgate {
namespace {

void need(bool done, const char* what) {
  if (done) return;
  bt_current_thread_clear_error();
  throw Error(fmt::format("libbabeltrace2: {} failed", what), "see its log on standard error");
}

// Calls take() with each event message.
struct Reading {
  std::function<void(const bt_message*)> take;
};

bt_graph_simple_sink_component_consume_func_status consume(bt_message_iterator* iterator,
                                                           void* data) {
  bt_message_array_const messages = nullptr;
  std::uint64_t count = 0;
  const bt_message_iterator_next_status status =
      bt_message_iterator_next(iterator, &messages, &count);
  if (status == BT_MESSAGE_ITERATOR_NEXT_STATUS_END) {
    return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END;
  }
  if (status != BT_MESSAGE_ITERATOR_NEXT_STATUS_OK) {
    return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_ERROR;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    if (bt_message_get_type(messages[i]) == BT_MESSAGE_TYPE_EVENT) {
      static_cast<Reading*>(data)->take(messages[i]);
    }
    bt_message_put_ref(messages[i]);
  }
  return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
}

std::vector<std::filesystem::path> traces_below(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> traces;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().filename() == "metadata") traces.push_back(entry.path().parent_path());
  }
  return traces;
}

using Plugin = std::unique_ptr<const bt_plugin, decltype(&bt_plugin_put_ref)>;

Plugin find_plugin(const char* name) {
  const bt_plugin* found = nullptr;
  need(bt_plugin_find(name, BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE, &found) ==
           BT_PLUGIN_FIND_STATUS_OK,
       "finding a plugin");
  return {found, bt_plugin_put_ref};
}

class Graph {
 public:
  explicit Graph(Reading& reading)
      : graph_(bt_graph_create(0), bt_graph_put_ref),
        formats_(find_plugin("ctf")),
        tools_(find_plugin("utils")) {
    const auto* muxer =
        bt_plugin_borrow_filter_component_class_by_name_const(tools_.get(), "muxer");
    need(bt_graph_add_filter_component(graph_.get(), muxer, "muxer", nullptr,
                                       BT_LOGGING_LEVEL_WARNING,
                                       &muxer_) == BT_GRAPH_ADD_COMPONENT_STATUS_OK,
         "adding the muxer");
    need(bt_graph_add_simple_sink_component(graph_.get(), "sink", nullptr, consume, nullptr,
                                            &reading, &sink_) == BT_GRAPH_ADD_COMPONENT_STATUS_OK,
         "adding the sink");
  }

  void add_trace(const std::filesystem::path& trace) {
    using Value = std::unique_ptr<bt_value, void (*)(const bt_value*)>;
    const Value parameters(bt_value_map_create(), bt_value_put_ref);
    bt_value* inputs = nullptr;
    bt_value_map_insert_empty_array_entry(parameters.get(), "inputs", &inputs);
    bt_value_array_append_string_element(inputs, trace.c_str());
    const auto* files = bt_plugin_borrow_source_component_class_by_name_const(formats_.get(), "fs");
    const bt_component_source* source = nullptr;
    need(bt_graph_add_source_component(graph_.get(), files, trace.c_str(), parameters.get(),
                                       BT_LOGGING_LEVEL_WARNING,
                                       &source) == BT_GRAPH_ADD_COMPONENT_STATUS_OK,
         "opening the trace");
    for (std::uint64_t i = 0; i < bt_component_source_get_output_port_count(source); ++i) {
      const bt_port_input* to =
          bt_component_filter_borrow_input_port_by_index_const(muxer_, inputs_++);
      connect(bt_component_source_borrow_output_port_by_index_const(source, i), to);
    }
  }

  void run() {
    connect(bt_component_filter_borrow_output_port_by_index_const(muxer_, 0),
            bt_component_sink_borrow_input_port_by_index_const(sink_, 0));
    need(bt_graph_run(graph_.get()) == BT_GRAPH_RUN_STATUS_OK, "reading the trace");
  }

 private:
  void connect(const bt_port_output* from, const bt_port_input* to) {
    need(
        bt_graph_connect_ports(graph_.get(), from, to, nullptr) == BT_GRAPH_CONNECT_PORTS_STATUS_OK,
        "connecting ports");
  }

  std::unique_ptr<bt_graph, void (*)(const bt_graph*)> graph_;
  Plugin formats_;
  Plugin tools_;
  const bt_component_filter* muxer_ = nullptr;
  const bt_component_sink* sink_ = nullptr;
  std::uint64_t inputs_ = 0;
};

void read_all(const std::filesystem::path& folder, std::function<void(const bt_message*)> take) {
  Reading reading{std::move(take)};
  Graph graph(reading);
  for (const std::filesystem::path& trace : traces_below(folder)) graph.add_trace(trace);
  graph.run();
}

BabeltraceEvent copy_event(const bt_message* message) {
  BabeltraceEvent copy;
  copy.timestamp =
      bt_clock_snapshot_get_value(bt_message_event_borrow_default_clock_snapshot_const(message));
  const bt_field* fields =
      bt_event_borrow_payload_field_const(bt_message_event_borrow_event_const(message));
  const std::uint64_t last =
      bt_field_class_structure_get_member_count(bt_field_borrow_class_const(fields)) - 1;
  const bt_field* payload = bt_field_structure_borrow_member_field_by_index_const(fields, last);
  for (std::uint64_t i = 0; i < bt_field_array_get_length(payload); ++i) {
    const bt_field* byte = bt_field_array_borrow_element_field_by_index_const(payload, i);
    copy.payload.push_back(static_cast<std::byte>(bt_field_integer_unsigned_get_value(byte)));
  }
  return copy;
}

}  // namespace

std::vector<BabeltraceEvent> babeltrace_events(const std::filesystem::path& folder) {
  std::vector<BabeltraceEvent> events;
  read_all(folder, [&](const bt_message* message) { events.push_back(copy_event(message)); });
  return events;
}

std::uint64_t babeltrace_count(const std::filesystem::path& folder) {
  std::uint64_t count = 0;
  read_all(folder, [&](const bt_message*) { ++count; });
  return count;
}

}  // namespace tailgate
