#include "harness/cli/etl_verify.h"

#include <catch2/catch.hpp>

#include "harness/base/error.h"
#include "harness/base/event.h"
#include "harness/etl/testing/trace_writer.h"
#include "harness/result/sample.h"

namespace tailgate {
namespace {

constexpr std::uint32_t kRun = 4711;
constexpr std::uint64_t kEmitted = 200;

Result one_trial_result() {
  Result result = sample_result();
  result.trials.resize(1);
  Trial& trial = result.trials.front();
  trial.run = kRun;
  trial.load.threads = 2;
  trial.ledger = {};
  trial.ledger.checked = true;
  trial.ledger.emitted = kEmitted;
  trial.ledger.delivered = kEmitted;
  return result;
}

std::vector<std::uint8_t> payload(EventEncoding encoding, std::uint64_t number, std::uint32_t run) {
  constexpr std::uint16_t kBytes = 100;
  std::vector<std::byte> event = prepare_event(encoding, kBytes);
  const auto thread = static_cast<std::uint16_t>(number % 2);
  stamp_event(event.data(), encoding, {run, thread, kBytes, number / 2, 5});
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(event.data());
  return {bytes, bytes + kBytes};
}

struct Plan {
  EventEncoding encoding = EventEncoding::binary;
  bool as_field = false;       // TraceLogging with a binary field, instead of the whole payload
  std::uint64_t left_out = 0;  // events from the end that the session lost
  std::uint32_t reported_lost = 0;
  std::uint64_t corrupted = ~std::uint64_t{0};  // number of an event to change
  std::uint32_t run = kRun;
};

std::vector<std::uint8_t> trace(const Plan& plan) {
  etl::WriterOptions options;
  options.events_lost = plan.reported_lost;
  etl::TraceWriter writer(options);
  etl::EventRecord record;
  record.provider = *etl::parse_guid("6a399ae0-4bc6-4de9-870b-3657f8947e7e");
  if (plan.as_field) {
    etl::MetadataBuilder metadata("Event");
    metadata.field("bytes", 0x0E);
    record.extended.emplace_back(std::uint16_t{0x0B}, metadata.bytes());
  }
  for (std::uint64_t number = 0; number < kEmitted - plan.left_out; ++number) {
    std::vector<std::uint8_t> bytes = payload(plan.encoding, number, plan.run);
    if (number == plan.corrupted) bytes.back() ^= 1;
    etl::ByteBuilder built;
    if (plan.as_field) built.u16(static_cast<unsigned>(bytes.size()));
    record.payload = built.raw(bytes).bytes();
    record.time = options.start_raw + static_cast<std::int64_t>(number);
    writer.add(static_cast<std::uint16_t>(number % 3), etl::event_record(record));
  }
  return writer.file();
}

EtlLedger verify(const Plan& plan) {
  const std::vector<std::uint8_t> bytes = trace(plan);
  const etl::TraceFile file(bytes, "test");
  return verify_etl(one_trial_result(), {&file});
}

}  // namespace

TEST_CASE("etl verify: a whole run balances, as payload or field, binary or text") {
  Plan plan;
  plan.encoding = GENERATE(EventEncoding::binary, EventEncoding::text);
  plan.as_field = GENERATE(true, false);
  const EtlLedger ledger = verify(plan);
  REQUIRE(ledger.trials.size() == 1);
  CHECK(ledger.trials[0].found.delivered == kEmitted);
  CHECK(ledger.trials[0].found.reordered == 0);
  CHECK(ledger.unaccounted == 0);
  CHECK(ledger.agrees());
  CHECK(etl_ledger_text(ledger).find("the ledger balances") != std::string::npos);
}

TEST_CASE("etl verify: reported losses balance, but the result must say the same") {
  Plan plan;
  plan.left_out = 7;
  plan.reported_lost = 7;
  const EtlLedger ledger = verify(plan);
  CHECK(ledger.unaccounted == 0);
  CHECK(ledger.lost == 7);
  CHECK_FALSE(ledger.agrees());
}

TEST_CASE("etl verify: silent losses, corruption and other runs are found") {
  Plan silent;
  silent.left_out = 3;
  CHECK(verify(silent).unaccounted == 3);
  Plan corrupted;
  corrupted.corrupted = 20;
  const EtlLedger ledger = verify(corrupted);
  CHECK(ledger.trials[0].found.corrupted == 1);
  CHECK_FALSE(ledger.agrees());
  Plan other;
  other.run = 1;
  CHECK_THROWS_AS(verify(other), Error);
}

}  // namespace tailgate
