// The shared memory of one trial, through which the controller and the other two processes
// communicate. Load threads write all measurements directly into it. So the controller can read
// them while the threads run, and nothing is lost if the provider is killed.
//
// Every field has one writer, except in TurnBlock, where all load threads of a side count. Fields
// that change while others read them are atomics. The memory starts zeroed, which is a valid value
// for lock-free atomics (checked below).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "harness/base/error.h"
#include "harness/base/log_lines.h"
#include "harness/histogram/histogram.h"
#include "harness/os/clock.h"
#include "harness/os/shared_memory.h"
#include "harness/result/action.h"
#include "harness/result/ledger.h"
#include "harness/stats/pulse_train.h"
#include "harness/trial/load.h"

namespace tailgate {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

// A text of bounded length in shared memory. Write it before the state that tells readers to read
// it.
template <std::size_t kBytes>
class SharedText {
 public:
  // A text that does not fit is cut, and then ends with "...".
  void set(std::string_view text) {
    constexpr std::string_view kCut = "...";
    const bool fits = text.size() < kBytes;
    const std::size_t length = fits ? text.size() : kBytes - 1 - kCut.size();
    text.copy(bytes_.data(), length);
    if (!fits) kCut.copy(bytes_.data() + length, kCut.size());
    bytes_[fits ? length : kBytes - 1] = '\0';
  }

  // For a text that means something else when it is cut. Throws Error that names `what` if it does
  // not fit.
  void set_whole(std::string_view text, const std::string& what) {
    if (text.size() >= kBytes) {
      throw Error(what + " has " + std::to_string(text.size()) + " bytes; it may have " +
                      std::to_string(kBytes - 1),
                  "make it shorter: a shorter path, fewer options");
    }
    set(text);
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
  ready,     // opened; waits for the start (provider), reads (consumer)
  loading,   // the load threads run (provider)
  closing,   // close() has been called (provider)
  done,      // all results are in this memory
  failed,    // the error text is set
};

// A load in turns, as the two sides of a duet run it; the controller starts each turn. The load
// threads log every call after the warm-up instead of recording histograms.
struct TurnPlan {
  std::uint32_t count = 0;   // including warm-up turns; 0: the load is not divided into turns
  std::uint32_t warmup = 0;  // number of warm-up turns, which come first
  std::uint64_t length_ns = 0;
  std::uint64_t max_calls = 0;  // capacity of each thread's log
};

struct TrialPlan {
  std::uint32_t run = 0;
  std::uint32_t slowest = 0;            // calls kept per thread, by service time …
  std::uint32_t slowest_responses = 0;  // … and by response time, open loop only
  std::uint32_t slow_deliveries = 0;    // events kept of the live reader, by delivery time
  std::uint64_t noise_ns = 0;           // how long to observe the idle processor before the load
  std::uint64_t poll_interval_ns = 0;   // of the live consumer; longer where turns let it wait
  LoadPlan load;
  TurnPlan turns;
  std::uint32_t contract = 0;      // the provider makes the calls of contract.h instead of the load
  std::uint32_t max_switches = 0;  // of the session, by the scenario; room for so many
  std::uint32_t rival_may_start = 0;  // a second session, by the scenario
  ClockParameters clock;
  HistogramRange range;
  std::uint32_t live = 0;                  // the consumer reads while the trial runs
  std::array<std::int32_t, 64> all_cpus;   // for the sink's own threads; -1: end of list
  std::array<std::int32_t, 64> load_cpus;  // the same format, as the next two
  std::array<std::int32_t, 64> consumer_cpus;
  std::array<std::int32_t, 64> victim_cpus;  // empty: no victim
  SharedText<8192> sink;                     // as SinkCatalog::choice reads it
  SharedText<4097> directory;                // a path has 4,096 bytes at most (PATH_MAX)
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

// An event that the live reader saw; times on the run clock.
struct DeliverySlot {
  std::uint64_t thread;  // of the load
  std::uint64_t sequence;
  std::uint64_t start_ns;  // of the call
  std::uint64_t seen_ns;
};

// Progress and counts of one load thread; it alone writes them.
struct alignas(64) ThreadBlock {
  std::atomic<std::uint64_t> started;    // calls begun
  std::atomic<std::uint64_t> finished;   // calls returned
  std::atomic<std::uint32_t> os_thread;  // the system's id of the thread; 0: not running yet
  std::atomic<std::uint64_t> last_start_ns;
  std::atomic<std::uint64_t> last_end_ns;
  std::atomic<std::uint64_t> last_intended_ns;
  std::atomic<std::uint64_t> unrecorded;  // calls of the warm-up that returned
  // Closed loop: service time plus 1 of the last call that returned, while it is not in the
  // histogram; 0: none. (record_pending_calls)
  std::atomic<std::uint64_t> pending_service_ns;
  std::atomic<std::uint64_t> spun_ns;   // time spent spinning until intended times
  std::atomic<std::uint64_t> unissued;  // scheduled, but not started when the time was over
  // System calls that the harness itself has made in this thread, up to the end of the last turn.
  std::atomic<std::uint64_t> own_system_calls;
  std::array<std::atomic<std::uint64_t>, 8> refused;  // by refusal cause
};

// What happened to the thread during a slow call.
enum class CallKind : std::uint16_t {
  unremarkable,  // the call was fast, or slow without a context switch
  stolen,        // the hypervisor took more than a fifth, no context switch; ran for 1 ms at most
  preempted,     // switched out involuntarily, without blocking, and ran for 1 ms at most
  blocked,       // the thread blocked
};

// One logged call; times on the run clock.
struct CallRecord {
  std::uint64_t intended_ns;
  std::uint64_t start_ns;
  std::uint64_t end_ns;
  std::uint32_t turn;  // number of the turn from 0, without the warm-up
  CallKind kind;
  std::uint16_t ran_us;  // of a preempted call: the time in which the thread ran, 1 ms at most
};

// Whether others ran on the thread's processor during the call, by no doing of the sink.
inline bool lost_processor(CallKind kind) {
  return kind == CallKind::stolen || kind == CallKind::preempted;
}

// The log of one load thread; its calls follow. Not in ThreadBlock, which drivers in other
// languages may write as a whole.
struct alignas(64) CallLogHead {
  std::atomic<std::uint64_t> logged;  // number of calls
};

// What the controller grants to all load threads of a side at once.
enum class Grant : std::uint32_t {
  turn,   // the next turn
  probe,  // a call of each outside of turns, not logged: it shows whether calls stall just now
  end,    // closing the sink
};

// The controller grants. A turn begins for all load threads at the same time, once all are awake;
// the last one to carry out a grant reports it as done.
struct TurnBlock {
  std::atomic<std::uint32_t> granted;           // number of grants
  std::atomic<Grant> grant;                     // what the last one was; written before `granted`
  std::atomic<std::uint32_t> awake;             // threads that woke up for a turn, in all turns
  std::atomic<std::uint64_t> begin_ns;          // first intended time of the turn
  std::atomic<std::uint32_t> begun;             // number of turns that began; after begin_ns
  std::atomic<std::uint32_t> carried_out;       // grants that threads carried out, of all threads
  std::atomic<std::uint32_t> done;              // number of grants that all carried out
  std::atomic<std::uint32_t> classified;        // this system can tell the kinds of calls
  std::atomic<std::uint64_t> probes;            // calls of probes that have returned
  std::atomic<std::uint64_t> probe_stalls;      // stalls of them, preempted ones left out …
  std::atomic<std::uint64_t> probe_stalled_ns;  // … and how long they took
};

// What an idle spin loop on the load's processor measured.
struct NoiseBlock {
  std::uint64_t observed_ns;
  std::uint64_t gaps_over_10us;
  std::uint64_t gaps_over_100us;
  std::uint64_t gaps_over_1ms;
  std::uint64_t max_gap_ns;
  std::uint64_t lost_ns;  // time in gaps over 10 us
  int processor;          // -1: unknown
  // Gaps over 10 us at fixed intervals, in ns of the run clock; those with a period of 0 are none.
  std::array<PulseTrain, 4> ticks;
};

struct FloorBlock {
  double loop_ns;
  double two_clock_reads_ns;
};

// Of one provider process. What it says of the machine, the floor and the causes of refusals, the
// first process says for all.
struct ProviderBlock {
  std::atomic<Phase> phase;
  std::atomic<std::uint32_t> memory_locked;
  SharedText<512> error;
  std::atomic<std::uint64_t> open_ns;   // opening the sink took so long, warm-up included
  std::atomic<std::uint64_t> close_ns;  // closing it; 0: not yet, as above
  std::atomic<std::uint32_t> stop;      // its load threads must end at their next event
  NoiseBlock noise;
  FloorBlock floor;
  std::array<SharedText<64>, 8> refusal_causes;
  std::array<LossSlot, kLossSlots> losses;
  std::atomic<std::uint32_t> loss_count;
};

// Where a load thread was when the controller killed a process that was not the provider.
struct ThreadMark {
  std::atomic<std::uint64_t> finished;
  std::atomic<std::uint64_t> refused;
  std::atomic<std::uint64_t> last_end_ns;
};

struct MarkBlock {
  std::atomic<std::uint32_t> set;  // 0: no such kill
  std::array<ThreadMark, kMaxThreads> threads;
};

// A switch of the session, as the controller made it; each thread's SwitchMark follows.
struct SwitchHead {
  std::atomic<std::uint64_t> on;  // 1: the session listens from then on; 0: it does not
  std::atomic<std::uint64_t> begin_ns;
  std::atomic<std::uint64_t> end_ns;  // the session's call had returned
};

// Where a load thread was at a switch.
struct SwitchMark {
  std::atomic<std::uint64_t> finished_before;  // calls that had returned when it began …
  std::atomic<std::uint64_t> refused_before;   // … and been refused
  std::atomic<std::uint64_t> started_after;    // calls begun when it had ended …
  std::atomic<std::uint64_t> refused_after;    // … refusals by then
};

// What was read back of one load thread's events.
struct ThreadRead {
  std::uint64_t delivered;         // distinct and intact
  std::uint64_t delivered_before;  // of these, with numbers below the thread's mark, …
  std::uint64_t next_before;       // … the highest of these numbers + 1; 0: none …
  std::uint64_t youngest_ns;       // … and the start of that call
  std::uint64_t oldest;            // the lowest number + 1; 0: none …
  std::uint64_t oldest_ns;         // … and the start of that call
  std::uint64_t next;              // the highest number + 1; 0: none
};

// What was read back around the switches.
struct SwitchRead {
  SwitchedEvents events;
  std::uint64_t not_delivered;  // of the calls that were off or in doubt …
  std::uint64_t refused;        // … and refused
};

// The first bytes of a part of a line.
struct LineShare {
  std::uint32_t count;
  std::array<std::byte, 16> bytes;
};

// What came back of one kind of lines (LineKindRead).
struct LineKindBlock {
  std::uint64_t lines;
  std::uint64_t same;
  std::uint64_t cut;
  std::uint64_t changed;
  std::uint64_t missing;
  // The first that was cut or changed, from where it differs.
  std::uint64_t first_sequence;
  std::uint64_t first_offset_bytes;
  std::uint32_t first_thread;
  std::uint32_t first_field;  // 1 is the first of kLogFieldNames; 0: in none
  LineShare expected;
  LineShare found;
};

struct CopyBlock {
  std::array<LineKindBlock, kLineKinds> kinds;
  std::uint64_t twice;
  std::uint64_t foreign;
};
inline constexpr std::size_t kMaxCopies = 8;

struct ConsumerBlock {
  std::atomic<Phase> phase;
  std::atomic<std::uint32_t> stop;            // it must read to the end and finish
  std::atomic<std::uint32_t> session;         // whose events it reads: 0 the first, 1 a rival's
  std::atomic<std::uint32_t> os_thread;       // the system's id of the thread that reads
  std::atomic<std::uint32_t> delivery_count;  // of TrialMemory::deliveries(); written last
  std::atomic<std::uint64_t> ready_ns;        // when it had opened the path; 0: not yet
  SharedText<512> error;
  std::atomic<std::uint64_t> events;
  std::atomic<std::uint64_t> bytes;
  std::atomic<std::uint64_t> busy_ns;
  LedgerCounts counts;
  std::array<LossSlot, kLossSlots> losses;
  std::atomic<std::uint32_t> loss_count;
  std::array<ThreadRead, kMaxThreads> threads;
  SwitchRead switches;
  std::array<CopyBlock, kMaxCopies> copies;  // if the load is log lines
  std::atomic<std::uint32_t> copy_count;     // written last
};

// The version of this memory's layout and meaning. Raise it with every change: processes of another
// build can take a role only if their version is the same.
inline constexpr std::uint32_t kTrialProtocol = 13;

struct TrialHeader {
  std::uint64_t magic;
  std::uint32_t protocol;
  std::uint32_t header_bytes;  // detects a compiler that lays out the structs differently
  TrialPlan plan;
  std::atomic<std::uint64_t> go_ns;         // start of the warm-up; 0: not started
  std::atomic<std::uint32_t> stop;          // load threads must end at their next event
  std::atomic<std::uint32_t> sampled;       // the provider may exit: its counters have been read
  std::atomic<std::uint32_t> session_over;  // the consumer must read to the end and finish
  std::atomic<std::uint64_t> victim_rounds;
  TurnBlock turn;
  ProviderBlock provider;
  ConsumerBlock consumer;
  MarkBlock mark;
  std::atomic<std::uint32_t> switches;                             // number of switches made
  std::array<ProviderBlock, kMaxProcesses - 1> further_providers;  // of a load of several processes
  std::array<ConsumerBlock, kMaxFurtherConsumers> further_consumers;  // that a scenario starts
};

// The block of a consumer process: 0 is the trial's own.
inline ConsumerBlock& consumer_block(TrialHeader& header, unsigned number) {
  return number == 0 ? header.consumer : header.further_consumers.at(number - 1);
}

// The block of a provider process, numbered from 0.
inline ProviderBlock& provider_block(TrialHeader& header, unsigned process) {
  return process == 0 ? header.provider : header.further_providers.at(process - 1);
}

// The distributions that each load thread records; in a closed loop only service.
enum class Metric : std::uint32_t { service, response, start_lag };
inline constexpr std::size_t kThreadMetrics = 3;

// Maps the shared memory and gives access to its parts.
class TrialMemory {
 public:
  static TrialMemory create(const TrialPlan& plan);  // controller
  // For the other roles. Throws Error if the memory is not that of a trial, or if the controller
  // has another protocol.
  static TrialMemory open_inherited(const std::string& handle);

  TrialHeader& header() const { return *reinterpret_cast<TrialHeader*>(memory_.data()); }
  const TrialPlan& plan() const { return header().plan; }
  ThreadBlock& thread(unsigned thread) const;
  std::size_t thread_stride() const { return thread_bytes_; }
  SlowSlot* slowest(unsigned thread) const;            // plan().slowest of them
  SlowSlot* slowest_responses(unsigned thread) const;  // plan().slowest_responses of them
  std::uint64_t* words(unsigned thread, Metric metric) const;
  std::uint64_t* floor_words() const;
  std::uint64_t* delivery_words() const;
  CallLogHead& log(unsigned thread) const;
  CallRecord* calls(unsigned thread) const;  // plan().turns.max_calls of them
  // number: below plan().max_switches.
  SwitchHead& switch_head(std::size_t number) const;
  SwitchMark& switch_mark(std::size_t number, unsigned thread) const;
  DeliverySlot* deliveries() const;  // plan().slow_deliveries of them
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
  std::size_t log_bytes_;
  // Floor and delivery histograms, then the threads' logs of calls, then the switches, then the
  // slow deliveries.
  std::size_t tail_offset_;
};

}  // namespace tailgate
