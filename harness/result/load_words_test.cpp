#include "harness/result/load_words.h"

#include <catch2/catch.hpp>

namespace tailgate {
namespace {

TEST_CASE("a load's words name its threads, processes and sessions where there are several") {
  Load load;
  CHECK(writer_words(load).empty());
  load.threads = 4;
  CHECK(writer_words(load) == ", 4 threads");
  load.processes = 4;
  CHECK(writer_words(load) == ", 4 processes");
  load.threads = 8;
  CHECK(writer_words(load) == ", 8 threads in 4 processes");
  load = {};
  load.sessions = 2;
  CHECK(writer_words(load) == ", 2 sessions");
  load.processes = load.threads = 2;
  load.own_sessions = true;
  CHECK(writer_words(load) == ", 2 processes, a session each");
}

}  // namespace
}  // namespace tailgate
