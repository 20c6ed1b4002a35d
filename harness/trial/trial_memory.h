// The shared memory of one trial: what the controller tells the other two processes, and what they
// tell it. All that a load thread measures goes straight here, so the controller can read it while
// the thread runs, and a provider that is killed loses none of it.
//
// Every field has one writer. Fields that change while others read are atomics; they live in
// memory that is zeroed, which for them is a valid value (checked below).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "harness/base/clock.h"
#include "harness/base/histogram.h"
#include "harness/base/shared_memory.h"
#include "harness/trial/load.h"

namespace tailgate {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

// A text of bounded length in shared memory; written before the state that announces it.
template <std::size_t kBytes>
class SharedText {
 public:
  // Cuts what does not fit.
  void set(std::string_view text) {
    const std::size_t length = text.size() < kBytes ? text.size() : kBytes - 1;
    text.copy(bytes_.data(), length);
    bytes_[length] = '\0';
  }
  std::string get() const {
    const std::string_view all(bytes_.data(), kBytes);
    return std::string(all.substr(0, all.find('\0')));
  }

 private:
  std::array<char, kBytes> bytes_;
};

enum class Phase : std::uint32_t {
  starting,  // opening the sink
  ready,     // opened; waiting for the start (provider), reading (consumer)
  loading,   // the load threads run (provider)
  closing,   // close() has been called (provider)
  done,      // everything is written here
  failed,    // the error text is set
};

// A load in slices, each begun when the controller says so: how the two sides of a duet take turns.
// The load's one thread logs every call after the warm-up instead of recording histograms.
struct SlicePlan {
  std::uint32_t count = 0;   // with those of the warm-up; 0: the load runs in one stretch
  std::uint32_t warmup = 0;  // the first of them
  std::uint64_t length_ns = 0;
  std::uint64_t max_calls = 0;  // room in the log
};

struct TrialPlan {
  std::uint32_t run = 0;
  std::uint32_t slowest = 0;            // calls kept per thread, by service time …
  std::uint32_t slowest_responses = 0;  // … and by response time, open loop only
  std::uint64_t noise_ns = 0;           // how long to watch the idle processor before the load
  std::uint64_t poll_interval_ns = 0;   // of the live consumer
  LoadPlan load;
  SlicePlan slices;
  ClockCalibration clock;
  HistogramRange range;
  std::uint32_t live = 0;                  // the consumer reads while the trial runs
  std::array<std::int32_t, 64> all_cpus;   // of the whole run; -1: end of list
  std::array<std::int32_t, 64> load_cpus;  // likewise, as the next
  std::array<std::int32_t, 64> consumer_cpus;
  std::array<std::int32_t, 64> victim_cpus;  // empty: no victim
  SharedText<1024> sink;                     // as parse_sink_choice reads it
  SharedText<1024> directory;
};

struct LossSlot {
  SharedText<64> cause;
  std::atomic<std::uint64_t> events;
};
inline constexpr std::size_t kLossSlots = 8;

struct SlowSlot {
  std::atomic<std::uint64_t> end_ns;  // 0: the slot is empty or being written
  std::atomic<std::uint64_t> start_ns;
  std::atomic<std::uint64_t> intended_ns;
  std::atomic<std::uint64_t> sequence;
  std::atomic<std::int64_t> cpu;
};

// Progress and counts of one load thread; it alone writes them.
struct alignas(64) ThreadBlock {
  std::atomic<std::uint64_t> started;    // calls begun
  std::atomic<std::uint64_t> finished;   // calls returned
  std::atomic<std::uint32_t> os_thread;  // the system's number of the thread; 0: not running yet
  std::atomic<std::uint64_t> last_start_ns;
  std::atomic<std::uint64_t> last_end_ns;
  std::atomic<std::uint64_t> last_intended_ns;
  std::atomic<std::uint64_t> spun_ns;   // waiting for intended times, awake
  std::atomic<std::uint64_t> unissued;  // scheduled, but not begun when the time was up
  std::array<std::atomic<std::uint64_t>, 8> refused;  // by the provider's refusal cause
};

// What became of a call that took long.
enum class CallKind : std::uint32_t {
  unremarkable,  // it was quick, or it was slow and the thread kept its processor
  preempted,     // the thread was switched away from and did not block
  blocked,       // the thread blocked
};

// One logged call; times on the run clock.
struct CallRecord {
  std::uint64_t intended_ns;
  std::uint64_t start_ns;
  std::uint64_t end_ns;
  std::uint32_t slice;  // from 0, warm-up left out
  CallKind kind;
};

// Whose turn it is: the controller grants slices, the load thread reports them done.
struct TurnBlock {
  std::atomic<std::uint32_t> granted;  // slices that may have begun; one more than there are: end
  std::atomic<std::uint32_t> done;     // slices that are over
  std::atomic<std::uint32_t> classified;  // the kinds of calls can be told here
  std::atomic<std::uint64_t> logged;      // calls in the log
};

// What an idle spin loop on the load's processor saw.
struct NoiseBlock {
  std::uint64_t observed_ns;
  std::uint64_t gaps_over_10us;
  std::uint64_t gaps_over_100us;
  std::uint64_t gaps_over_1ms;
  std::uint64_t max_gap_ns;
  std::uint64_t lost_ns;  // in gaps over 10 us
};

struct FloorBlock {
  double loop_ns;
  double two_clock_reads_ns;
};

struct ProviderBlock {
  std::atomic<Phase> phase;
  std::atomic<std::uint32_t> memory_locked;
  SharedText<512> error;
  NoiseBlock noise;
  FloorBlock floor;
  std::array<SharedText<64>, 8> refusal_causes;
  std::array<LossSlot, kLossSlots> losses;
  std::atomic<std::uint32_t> loss_count;
};

struct ConsumerBlock {
  std::atomic<Phase> phase;
  SharedText<512> error;
  std::atomic<std::uint64_t> events;
  std::atomic<std::uint64_t> bytes;
  std::atomic<std::uint64_t> busy_ns;
  std::uint64_t delivered;
  std::uint64_t delivered_in_flight;
  std::uint64_t duplicates;
  std::uint64_t reordered;
  std::uint64_t corrupted;
  std::uint64_t damaged_bytes;
  std::uint64_t foreign;
  std::array<LossSlot, kLossSlots> losses;
  std::atomic<std::uint32_t> loss_count;
};

// What this program's processes share, and what another build's must share too to take a role here:
// rises with every change of the layout or of its meaning.
inline constexpr std::uint32_t kTrialProtocol = 3;

struct TrialHeader {
  std::uint64_t magic;
  std::uint32_t protocol;
  std::uint32_t header_bytes;  // another compiler's idea of the same structs is another layout
  TrialPlan plan;
  std::atomic<std::uint64_t> go_ns;         // start of the warm-up; 0: not yet
  std::atomic<std::uint32_t> stop;          // load threads shall end at their next event
  std::atomic<std::uint32_t> sampled;       // the provider, done, may exit: its counters are read
  std::atomic<std::uint32_t> session_over;  // the consumer shall read to the end and finish
  std::atomic<std::uint64_t> victim_rounds;
  TurnBlock turn;
  ProviderBlock provider;
  ConsumerBlock consumer;
};

// The distributions that each load thread records; in a closed loop the first one only.
enum class Metric : std::uint32_t { service, response, start_lag };
inline constexpr std::size_t kThreadMetrics = 3;

// A view that finds everything in the shared memory.
class TrialMemory {
 public:
  static TrialMemory create(const TrialPlan& plan);  // controller
  // The other roles. Throws Error when the memory is no trial's, or that of a controller with
  // another protocol.
  static TrialMemory open_inherited(const std::string& handle);

  TrialHeader& header() const { return *reinterpret_cast<TrialHeader*>(memory_.data()); }
  const TrialPlan& plan() const { return header().plan; }
  ThreadBlock& thread(unsigned thread) const;
  SlowSlot* slowest(unsigned thread) const;            // plan().slowest of them
  SlowSlot* slowest_responses(unsigned thread) const;  // plan().slowest_responses of them
  std::uint64_t* words(unsigned thread, Metric metric) const;
  std::uint64_t* floor_words() const;
  std::uint64_t* delivery_words() const;
  CallRecord* calls() const;  // plan().slices.max_calls of them
  const HistogramLayout& layout() const { return layout_; }
  SharedMemory& memory() { return memory_; }

 private:
  explicit TrialMemory(SharedMemory memory, const TrialPlan& plan);
  static std::size_t thread_bytes(const TrialPlan& plan, const HistogramLayout& layout);
  std::byte* thread_base(unsigned thread) const;

  SharedMemory memory_;
  HistogramLayout layout_;
  std::size_t histogram_bytes_;
  std::size_t thread_bytes_;
  std::size_t tail_offset_;  // floor and delivery histograms, then the log of calls
};

}  // namespace tailgate
