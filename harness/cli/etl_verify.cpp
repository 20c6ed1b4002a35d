#include "harness/cli/etl_verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "harness/base/error.h"
#include "harness/etl/decoder.h"
#include "harness/etl/trace_reader.h"

namespace tailgate {
namespace {

// Sorts the file's events into the ledgers of the result's trials.
class Sorter {
 public:
  explicit Sorter(const Result& result) {
    for (const Trial& trial : result.trials) trials_[trial.run] = &trial;
  }

  void add(etl::Bytes bytes) {
    const std::span event(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size());
    for (const EventEncoding encoding : {EventEncoding::binary, EventEncoding::text}) {
      EventStamp stamp{};
      const EventCheck check = check_event(event, encoding, stamp);
      if (check == EventCheck::too_short || check == EventCheck::not_an_event) continue;
      if (check == EventCheck::bad_checksum) {
        ++unreadable_;  // its trial is not known
        return;
      }
      file_under(event, encoding, stamp.run);
      return;
    }
  }

  EtlLedger finish() const {
    EtlLedger ledger;
    ledger.foreign = foreign_;
    for (const auto& [run, found] : ledgers_) {
      const Trial& trial = *trials_.at(run);
      ledger.trials.push_back({trial.index, run, trial.ledger.emitted, found->counts(),
                               trial.ledger.delivered, trial.ledger.checked});
    }
    std::sort(ledger.trials.begin(), ledger.trials.end(),
              [](const auto& a, const auto& b) { return a.index < b.index; });
    if (!ledger.trials.empty()) ledger.trials.front().found.corrupted += unreadable_;
    return ledger;
  }

 private:
  void file_under(std::span<const std::byte> event, EventEncoding encoding, std::uint32_t run) {
    const auto trial = trials_.find(run);
    if (trial == trials_.end()) {
      ++foreign_;
      return;
    }
    std::unique_ptr<Ledger>& ledger = ledgers_[run];
    if (!ledger) {
      const std::uint64_t emitted = trial->second->ledger.emitted;
      ledger = std::make_unique<Ledger>(run, trial->second->load.threads, encoding,
                                        [emitted](unsigned) { return emitted; });
    }
    EventStamp stamp{};
    ledger->add(event, stamp);
  }

  std::map<std::uint32_t, const Trial*> trials_;
  std::map<std::uint32_t, std::unique_ptr<Ledger>> ledgers_;
  std::uint64_t foreign_ = 0;
  std::uint64_t unreadable_ = 0;
};

bool is_binary(etl::ValueType type) {
  return type == etl::ValueType::binary || type == etl::ValueType::counted_binary ||
         type == etl::ValueType::hexdump;
}

void sort_event(const etl::DecodedEvent& event, Sorter& sorter) {
  bool in_field = false;
  for (const etl::Field& field : event.fields) {
    if (field.kind != etl::Field::Kind::value || !is_binary(field.type)) continue;
    sorter.add(field.data);
    in_field = true;
  }
  if (!in_field) sorter.add(event.header.payload);
}

}  // namespace

bool EtlLedger::agrees() const {
  if (damaged || unaccounted != 0 || foreign != 0) return false;
  return std::all_of(trials.begin(), trials.end(), [](const EtlTrialLedger& trial) {
    return trial.found.corrupted == 0 && trial.found.foreign == 0 &&
           (!trial.result_checked || trial.found.delivered == trial.result_delivered);
  });
}

EtlLedger verify_etl(const Result& result, const std::vector<const etl::TraceFile*>& files) {
  etl::Decoder decoder;
  decoder.learn(files);
  etl::TraceReader reader(files, etl::ReadOrder::time);
  Sorter sorter(result);
  etl::DecodedEvent event;
  while (const etl::Record* record = reader.next()) {
    decoder.decode(*record, event);
    sort_event(event, sorter);
  }
  EtlLedger ledger = sorter.finish();
  if (ledger.trials.empty()) {
    throw Error("the trace holds no event of any trial of result '" + result.id + "'",
                "give the .etl file that this run's session wrote");
  }
  ledger.damaged = reader.damage().any();
  for (const etl::TraceFile* file : files) {
    ledger.damaged = ledger.damaged || file->damage().any();
    for (const etl::Epoch& epoch : file->epochs()) ledger.lost += epoch.header.events_lost;
  }
  for (const EtlTrialLedger& trial : ledger.trials) {
    ledger.unaccounted += static_cast<std::int64_t>(trial.emitted - trial.found.delivered);
  }
  ledger.unaccounted -= static_cast<std::int64_t>(ledger.lost);
  return ledger;
}

std::string etl_ledger_text(const EtlLedger& ledger) {
  std::string out =
      fmt::format("{:>6} {:>10} {:>12} {:>12} {:>10} {:>10} {:>10} {:>8}\n", "trial", "run",
                  "emitted", "delivered", "duplicates", "reordered", "corrupted", "result");
  for (const EtlTrialLedger& trial : ledger.trials) {
    const bool same = trial.found.delivered == trial.result_delivered;
    out += fmt::format("{:>6} {:>10} {:>12} {:>12} {:>10} {:>10} {:>10} {:>8}\n", trial.index,
                       trial.run, trial.emitted, trial.found.delivered, trial.found.duplicates,
                       trial.found.reordered, trial.found.corrupted,
                       !trial.result_checked ? "-"
                       : same                ? "agrees"
                                             : "differs");
  }
  out += fmt::format("lost as the session reports: {}\nunaccounted: {}\n", ledger.lost,
                     ledger.unaccounted);
  if (ledger.foreign != 0) out += fmt::format("events of other runs: {}\n", ledger.foreign);
  if (ledger.damaged) out += "the trace is damaged: see 'tailgate etl info'\n";
  out += ledger.agrees() ? "the ledger balances\n" : "the ledger does not balance\n";
  return out;
}

}  // namespace tailgate
