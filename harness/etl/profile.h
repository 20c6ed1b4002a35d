// CPU samples and their stacks: who used the processors, by process, image and function.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/etl/modules.h"
#include "harness/etl/report.h"
#include "harness/etl/sample_join.h"
#include "harness/etl/stack_table.h"
#include "harness/etl/trace_file.h"

namespace tailgate::etl {

// The samples of one clock's sessions, joined with their stacks, added up. Takes 64 MB at
// most, however large the trace is: what has no room is counted.
class Profile {
 public:
  static constexpr std::uint32_t kNoFunction = 0xFFFF'FFFF;
  static constexpr std::uint32_t kNoModule = 0xFFFF'FFFF;

  // Reads the files twice: a stack's key may be defined after its use. clock: see
  // TraceReader::read_only(). Ids of processes and times of other clocks mean something else.
  Profile(const std::vector<const TraceFile*>& files, std::size_t clock);

  // Of the clock's first session.
  const std::string& session_name() const { return session_name_; }
  std::uint64_t samples() const { return samples_; }
  std::uint64_t with_stack() const { return with_stack_; }
  // Stacks of other events, and of samples that the trace does not have.
  std::uint64_t other_stacks() const { return other_stacks_; }
  // Samples, images and stacks' keys that have no room.
  std::uint64_t samples_over_limit() const { return samples_over_limit_; }
  std::uint64_t images_over_limit() const { return modules_.over_limit(); }
  std::uint64_t keys_over_limit() const { return keys_over_limit_; }
  // Samples whose stack lacks a part, which came after there was no room to wait for it.
  std::uint64_t samples_cut_short() const { return samples_cut_short_; }

  const StackTable& stacks() const { return stacks_; }
  const Modules& modules() const { return modules_; }
  const std::map<std::uint16_t, std::uint64_t>& processors() const { return processors_; }
  // "app.exe (500)".
  std::string process_name(std::uint32_t process) const;

  // A frame of the stacks: an address, or after set_functions() a function.
  struct Frame {
    std::uint32_t module = kNoModule;  // kNoModule: stands for the stacks that have no room
    std::uint64_t offset = 0;          // in the image; in no image: the address
  };
  std::uint32_t frame_count() const { return frames_.size(); }
  const FrameTable& frames() const { return frames_; }
  Frame frame(std::uint32_t number) const {
    return {frames_[number].module, frames_[number].offset};
  }
  // Its number among function_count(), or kNoFunction.
  std::uint32_t function(std::uint32_t frame) const {
    return functions_.empty() ? kNoFunction : functions_[frame];
  }
  std::size_t function_count() const { return function_names_.size(); }
  // "ntdll.dll+0x1234", "ntdll.dll!RtlAllocateHeap", "0x7ff812345678" in no image.
  std::string frame_name(std::uint32_t frame) const;
  std::string_view module_name(std::uint32_t module) const;
  std::string function_name(std::uint32_t function) const;  // with the module's

  struct Function {
    std::uint32_t module = 0;
    std::string name;
  };
  const Function& function_at(std::uint32_t function) const { return function_names_[function]; }

  // Gives frames their functions. by_frame: a number in functions, or kNoFunction. Frames of one
  // function become one.
  void set_functions(std::vector<std::uint32_t> by_frame, std::vector<Function> functions);

 private:
  friend class ProfileReader;

  struct KnownFrame {
    std::uint64_t address = 0;
    std::uint32_t process = 0;
    std::uint32_t frame = 0;  // 0: none
  };

  std::uint32_t frame_number(std::uint32_t process, std::uint64_t address);
  void add(const CpuSample& sample);

  std::string session_name_;
  std::map<std::uint32_t, std::string> names_;  // of processes
  Modules modules_;
  FrameTable frames_;                 // 0: what has no room
  std::vector<KnownFrame> known_;     // the frames of recent addresses, by the addresses' hashes
  std::vector<std::uint32_t> stack_;  // of the sample that is being added
  StackTable stacks_;
  std::vector<std::uint32_t> functions_;  // by frame
  std::vector<Function> function_names_;
  std::map<std::uint16_t, std::uint64_t> processors_;
  std::uint64_t samples_ = 0;
  std::uint64_t with_stack_ = 0;
  std::uint64_t other_stacks_ = 0;
  std::uint64_t samples_over_limit_ = 0;
  std::uint64_t keys_over_limit_ = 0;
  std::uint64_t samples_cut_short_ = 0;
};

enum class ProfileFormat {
  text,        // tables of processors, processes, images and functions
  json,        // the same, all rows
  folded,      // a line per stack, outermost frame first: "app.exe (500);a.dll+0x1;b.dll+0x2 7"
  speedscope,  // https://www.speedscope.app/file-format-schema.json
};

struct ProfileOptions {
  ProfileFormat format = ProfileFormat::text;
  std::size_t max_rows = 20;                                    // of each table of the text
  std::optional<std::filesystem::path> symbols = std::nullopt;  // see symbolize()
};

// Reports the profile of the files, clock by clock if they have several: the text has a heading for
// each, JSON an object and line for each, and folded stacks begin with the session. Speedscope's
// format has one list of frames, so it takes one clock: throws Error for more. Returns what there
// is to say about symbols that were refused or could not be read; empty when there is nothing.
// Throws Error when the folder of symbols cannot be read.
std::string report_profile(const std::vector<const TraceFile*>& files,
                           const ProfileOptions& options, const TextSink& sink);

}  // namespace tailgate::etl
