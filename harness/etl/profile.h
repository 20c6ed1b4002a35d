// CPU samples and their stacks: who used the processors, by process, image and address.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/etl/report.h"
#include "harness/etl/trace_file.h"

namespace tailgate::etl {

// The images of a process, or of the kernel, by address. Of several that were at one address at
// different times it keeps the last.
class ImageMap {
 public:
  void add(std::uint64_t base, std::uint64_t size, std::string name);

  // "ntdll.dll+0x1234"; "0x7ff812345678" for an address in no image.
  std::string name_of(std::uint64_t address) const;
  // The image's name alone; "unknown" for an address in none.
  std::string_view image_of(std::uint64_t address) const;

 private:
  struct Image {
    std::uint64_t size = 0;
    std::string name;
  };
  const std::pair<const std::uint64_t, Image>* find(std::uint64_t address) const;

  std::map<std::uint64_t, Image> images_;  // by base
};

// A sample with its stack, innermost address first; the sampled address alone without a stack.
struct CpuSample {
  std::uint32_t process = 0;
  std::uint32_t thread = 0;
  std::uint16_t processor = 0;
  std::uint32_t count = 1;  // of timer ticks
  std::vector<std::uint64_t> stack;
  bool has_stack = false;
};

// The samples of one trace (files on one clock), joined with their stacks, added up.
class Profile {
 public:
  // Reads the files twice: a stack's key may be defined after its use.
  explicit Profile(const std::vector<const TraceFile*>& files);

  struct Share {
    std::uint64_t exclusive = 0;  // samples in it
    std::uint64_t inclusive = 0;  // samples with it in the stack
  };
  struct Process {
    std::uint64_t samples = 0;
    std::unordered_map<std::string, Share> images;
    std::map<std::vector<std::uint32_t>, std::uint64_t> stacks;  // frames, outermost first
  };

  std::uint64_t samples() const { return samples_; }
  std::uint64_t with_stack() const { return with_stack_; }
  // Stacks of other events, and of samples that the trace does not have.
  std::uint64_t other_stacks() const { return other_stacks_; }
  const std::map<std::uint32_t, Process>& processes() const { return processes_; }
  const std::map<std::uint16_t, std::uint64_t>& processors() const { return processors_; }
  const std::string& frame(std::uint32_t number) const { return frames_[number]; }
  std::size_t frame_count() const { return frames_.size(); }
  // "app.exe (500)".
  std::string process_name(std::uint32_t process) const;

 private:
  friend class ProfileReader;

  const ImageMap& images_at(std::uint32_t process, std::uint64_t address) const;
  std::uint32_t frame_number(std::uint32_t process, std::uint64_t address);
  void add(const CpuSample& sample);

  std::uint64_t kernel_from_ = 0xFFFF'8000'0000'0000;  // addresses of the kernel
  std::map<std::uint32_t, std::string> names_;         // of processes
  std::map<std::uint32_t, ImageMap> images_;           // 0: the kernel's
  std::vector<std::string> frames_;
  std::unordered_map<std::string, std::uint32_t> frame_numbers_;
  std::map<std::uint32_t, Process> processes_;
  std::map<std::uint16_t, std::uint64_t> processors_;
  std::uint64_t samples_ = 0;
  std::uint64_t with_stack_ = 0;
  std::uint64_t other_stacks_ = 0;
};

enum class ProfileFormat {
  text,        // tables of processes, images and processors
  json,        // the same, all rows
  folded,      // a line per stack, outermost frame first: "app.exe (500);a.dll+0x1;b.dll+0x2 7"
  speedscope,  // https://www.speedscope.app/file-format-schema.json
};

// Reports the profile of the files. max_rows limits each table of the text.
void report_profile(const std::vector<const TraceFile*>& files, ProfileFormat format,
                    std::size_t max_rows, const TextSink& sink);

}  // namespace tailgate::etl
