#include "harness/base/base64.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/error.h"

using tailgate::from_base64;
using tailgate::to_base64;

TEST_CASE("base64 matches the test vectors of RFC 4648 section 10", "[base64]") {
  const std::vector<std::pair<std::string, std::string>> vectors = {{"", ""},
                                                                    {"f", "Zg=="},
                                                                    {"fo", "Zm8="},
                                                                    {"foo", "Zm9v"},
                                                                    {"foob", "Zm9vYg=="},
                                                                    {"fooba", "Zm9vYmE="},
                                                                    {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : vectors) {
    CHECK(to_base64(bytes) == text);
    CHECK(from_base64(text) == bytes);
  }
  CHECK(to_base64("\xfb\xff\xbf") == "+/+/");
}

TEST_CASE("every byte value is decoded as it was encoded", "[base64]") {
  std::string bytes;
  for (int length = 0; length < 300; ++length) {
    CHECK(from_base64(to_base64(bytes)) == bytes);
    bytes += static_cast<char>(length * 7);
  }
}

TEST_CASE("invalid base64 is an error that tells the position", "[base64]") {
  using Catch::Matchers::Contains;
  CHECK_THROWS_WITH(from_base64("Zm9"), Contains("character 4 of 3"));
  CHECK_THROWS_WITH(from_base64("Zm9vZm!v"), Contains("character 7 of 8"));
  CHECK_THROWS_WITH(from_base64("Zg=a"), Contains("character 3 of 4"));
  for (const char* broken : {"====", "Z===", "Zg==Zg==", "Zh==", "Zm9=", "Zm9v\n", "Zm\xff\xff"}) {
    CAPTURE(broken);
    CHECK_THROWS_AS(from_base64(broken), tailgate::Error);
  }
}
