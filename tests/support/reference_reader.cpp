#include "tests/support/reference_reader.h"

#include <charconv>
#include <cmath>
#include <map>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/decimal.h"
#include "core/trace/trace_builder.h"

namespace ridgeline::test {

namespace {

/// A JSON value with the text of its numbers.
struct Node {
  char kind = 'z';  ///< z null, s text, n number, b true or false, o object, a array
  std::string text;
  std::vector<std::pair<std::string, Node>> members;
  std::vector<Node> items;

  [[nodiscard]] const Node* find(std::string_view key) const {
    const Node* found = nullptr;
    for (const auto& [name, value] : members)
      if (name == key) found = &value;
    return found;
  }
};

class TreeBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Node root;

  bool null() override { return put({}); }
  bool boolean(bool value) override { return put({'b', value ? "true" : "false", {}, {}}); }
  bool number_integer(number_integer_t value) override {
    return put({'n', std::to_string(value), {}, {}});
  }
  bool number_unsigned(number_unsigned_t value) override {
    return put({'n', std::to_string(value), {}, {}});
  }
  bool number_float(number_float_t, const string_t& raw) override {
    return put({'n', raw, {}, {}});
  }
  bool string(string_t& value) override { return put({'s', value, {}, {}}); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open('o'); }
  bool key(string_t& value) override {
    key_.back() = value;
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open('a'); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  bool put(Node node) {
    if (stack_.empty())
      root = std::move(node);
    else if (stack_.back().kind == 'o')
      stack_.back().members.emplace_back(key_.back(), std::move(node));
    else
      stack_.back().items.push_back(std::move(node));
    return true;
  }
  bool open(char kind) {
    stack_.push_back({kind, {}, {}, {}});
    key_.emplace_back();
    return true;
  }
  bool close() {
    Node done = std::move(stack_.back());
    stack_.pop_back();
    key_.pop_back();
    return put(std::move(done));
  }
  std::vector<Node> stack_;
  std::vector<std::string> key_;
};

std::string serialised(const Node& node) {
  std::string out;
  if (node.kind == 'a') {
    for (const Node& item : node.items) out += (out.empty() ? "" : ",") + serialised(item);
    return "[" + out + "]";
  }
  if (node.kind == 's') return nlohmann::json(node.text).dump();
  return node.kind == 'z' ? "null" : node.text;
}

std::string textOf(const Node* node) {
  if (node == nullptr || node->kind == 'z') return {};
  return node->kind == 's' ? node->text : serialised(*node);
}

void setInteger(const Node& args, const char* key, std::int64_t& to) {
  const Node* node = args.find(key);
  if (node == nullptr || (node->kind != 'n' && node->kind != 's')) return;
  if (const auto value = parseInteger(node->text)) to = *value;
}

void setReal(const Node& args, const char* key, double& to) {
  const Node* node = args.find(key);
  if (node == nullptr || (node->kind != 'n' && node->kind != 's')) return;
  double value = 0;
  const char* end = node->text.data() + node->text.size();
  const auto read = std::from_chars(node->text.data(), end, value);
  if (read.ec == std::errc() && read.ptr == end && std::isfinite(value)) to = value;
}

/// Fills an event; the texts live in `texts`.
bool fill(const Node& node, Event& event, std::map<std::string, std::string>& texts,
          std::vector<std::pair<std::string, double>>& series) {
  if (node.kind != 'o') return false;
  const auto text = [&](const char* name, const Node* value) -> std::string_view {
    return texts[name] = textOf(value);
  };
  const std::string phase = textOf(node.find("ph"));
  if (phase.empty()) return false;
  event.phase = phase[0];
  event.name = text("name", node.find("name"));
  event.category = text("cat", node.find("cat"));
  event.pid = text("pid", node.find("pid"));
  event.tid = text("tid", node.find("tid"));
  event.id = text("id", node.find("id"));
  event.bindEnclosing = textOf(node.find("bp")) == "e";
  event.bindId = text("bind_id", node.find("bind_id"));
  event.flowIn = textOf(node.find("flow_in")) == "true";
  event.flowOut = textOf(node.find("flow_out")) == "true";
  const auto inRange = [](const auto& time) {
    constexpr TimeNs kFarthest = TimeNs{1} << 61;
    return time && time->ns <= kFarthest && time->ns >= -kFarthest;
  };
  const auto ts = parseMicroseconds(textOf(node.find("ts")));
  if (inRange(ts)) event.ts = ts->ns;
  if (!inRange(ts) && event.phase != 'M') return false;
  if (const Node* dur = node.find("dur")) {
    const auto time = parseMicroseconds(textOf(dur));
    if (inRange(time)) event.dur = time->ns;
  }
  const Node* args = node.find("args");
  if (args == nullptr || args->kind != 'o') return true;
  if (event.phase == 'C') {
    for (const auto& [key, value] : args->members)
      if (value.kind == 'n' || value.kind == 's') {
        try {
          std::size_t used = 0;
          const double number = std::stod(value.text, &used);
          if (used == value.text.size() && std::isfinite(number)) series.emplace_back(key, number);
        } catch (const std::exception&) {
        }
      }
    return true;
  }
  setInteger(*args, "correlation", event.args.correlation);
  setInteger(*args, "External id", event.args.externalId);
  setInteger(*args, "device", event.args.device);
  setInteger(*args, "stream", event.args.stream);
  setInteger(*args, "bytes", event.args.bytes);
  setInteger(*args, "Sequence number", event.args.sequence);
  setInteger(*args, "sort_index", event.args.sortIndex);
  setReal(*args, "blocks per SM", event.args.blocksPerSm);
  setReal(*args, "est. achieved occupancy %", event.args.occupancyPercent);
  if (const Node* dims = args->find("Input Dims"))
    event.args.inputDims = texts["dims"] = serialised(*dims);
  event.args.metadataName = text("metadata", args->find("name"));
  return true;
}

}  // namespace

std::shared_ptr<const Trace> readByReference(std::string_view text) {
  TreeBuilder tree;
  if (!nlohmann::json::sax_parse(text, &tree)) return nullptr;
  const Node* events = tree.root.kind == 'o' ? tree.root.find("traceEvents") : nullptr;
  if (events == nullptr || events->kind != 'a') return nullptr;
  TraceBuilder builder;
  for (const Node& node : events->items) {
    Event event;
    std::map<std::string, std::string> texts;
    std::vector<std::pair<std::string, double>> series;
    if (!fill(node, event, texts, series)) continue;
    std::vector<std::pair<std::string_view, double>> values(series.begin(), series.end());
    event.counterValues = values;
    builder.add(event);
  }
  return builder.finish().front();
}

}  // namespace ridgeline::test
