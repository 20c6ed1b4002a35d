#include "harness/calls/call_list.h"

#include <catch2/catch.hpp>

#include "harness/base/error.h"

namespace tailgate {

TEST_CASE("the first means that can time all functions is taken") {
  CHECK(parse_call_list("mark").means == CallMeans::mark);
  CHECK(parse_call_list("none").means == CallMeans::none);
  CHECK(parse_call_list("write").means == CallMeans::preload);
  CHECK(parse_call_list("write,fsync,sd_journal_sendv").means == CallMeans::preload);
  CHECK(parse_call_list("log_write").means == CallMeans::audit);
  CHECK(parse_call_list("write,log_write").means == CallMeans::audit);
  // The wrapper would time every library's function of that name.
  CHECK(parse_call_list("libc.so:write").means == CallMeans::audit);
}

TEST_CASE("functions keep their order and libraries") {
  const CallList list = parse_call_list("libfoo.so.1:log_write,_ZN3log5writeEv,fsync");
  REQUIRE(list.functions.size() == 3);
  CHECK(list.functions[0] == CalledFunction{"libfoo.so.1", "log_write"});
  CHECK(list.functions[1] == CalledFunction{"", "_ZN3log5writeEv"});
  CHECK(functions_text(list) == "libfoo.so.1:log_write,_ZN3log5writeEv,fsync");
}

TEST_CASE("what names no functions is refused with the part that is wrong") {
  const char* const texts[] = {"",        ",",           "write,",   "write,,fsync", ":write",
                               "lib.so:", "write fsync", "/lib/a:b", "a:b:c",        "wr\x1bite"};
  for (const char* text : texts) {
    CAPTURE(text);
    CHECK_THROWS_WITH(parse_call_list(text), Catch::Contains("names no function"));
  }
  CHECK_THROWS_WITH(parse_call_list("write,write"), Catch::Contains("names 'write' twice"));
  CHECK_THROWS_WITH(parse_call_list("write,mark"), Catch::Contains("'mark' stands alone"));
  std::string many = "f0";
  for (int i = 1; i < 17; ++i) many += ",f" + std::to_string(i);
  CHECK_THROWS_WITH(parse_call_list(many), Catch::Contains("names 17 functions"));
}

}  // namespace tailgate
