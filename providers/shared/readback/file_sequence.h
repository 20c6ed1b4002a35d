// Consumer of several files that nobody writes to any more, one after another.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "harness/sink/sink.h"

namespace tailgate {

class FileSequence : public Consumer {
 public:
  using Open = std::function<std::unique_ptr<Consumer>(const std::filesystem::path&)>;

  // The oldest file first. open: returns the consumer of one of them.
  FileSequence(std::vector<std::filesystem::path> files, Open open)
      : files_(std::move(files)), open_(std::move(open)) {}

  std::size_t poll(EventVisitor& visitor) override {
    while (next_ < files_.size() || current_) {
      if (!current_) current_ = open_(files_[next_++]);
      if (const std::size_t events = current_->poll(visitor); events > 0) return events;
      current_->finish(visitor);
      current_.reset();
    }
    return 0;
  }

 private:
  std::vector<std::filesystem::path> files_;
  Open open_;
  std::size_t next_ = 0;
  std::unique_ptr<Consumer> current_;
};

}  // namespace tailgate
