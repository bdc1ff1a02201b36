#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/io/input_file.h"
#include "core/trace/args_store.h"

namespace ridgeline {

/// The rows that events of an Nsight Systems export came from, as JSON objects: grid, block,
/// registers, names … Read from the database when asked for, which is refused once it has changed.
class NsightArgs : public ArgsReader {
 public:
  /// NVTX domains by (global process id >> 24, domain id).
  using Domains = std::map<std::pair<std::int64_t, std::int64_t>, std::string>;

  /// `tables`: by the number in ArgsSpan::offset, see NsightRows::args.
  NsightArgs(std::shared_ptr<const InputFile> file, std::vector<std::string> tables,
             Domains domains)
      : file_(std::move(file)), tables_(std::move(tables)), domains_(std::move(domains)) {}
  [[nodiscard]] Result<std::string> read(ArgsSpan span) const override;

 private:
  std::shared_ptr<const InputFile> file_;
  std::vector<std::string> tables_;
  Domains domains_;
};

}  // namespace ridgeline
