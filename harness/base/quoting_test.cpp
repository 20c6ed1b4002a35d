#include "harness/base/quoting.h"

#include <catch2/catch.hpp>
#include <string>

namespace tailgate {
namespace {

TEST_CASE("plain text is the same in every kind of output") {
  for (const std::string text : {"", "plain µs 時 𝄞", "steady@file:mode=mmap", "response_ns_p99_9",
                                 "a difference of 2 %; see 'tailgate show'"}) {
    CHECK(printable(text) == text);
    CHECK(printable_lines(text) == text);
    CHECK(csv_cell(text) == text);
    CHECK(tsv_cell(text) == text);
    CHECK(markdown_text(text) == text);
    CHECK(json_text(text) == text);
  }
  CHECK(xml_attribute("plain µs 時 𝄞") == "plain µs 時 𝄞");
}

TEST_CASE("what controls a terminal is replaced") {
  CHECK(printable("red \x1b[31m\n\t\x7f") == "red ?[31m???");
  CHECK(printable("csi \xc2\x9b"
                  "31m, no-break\xc2\xa0space") == "csi ?31m, no-break\xc2\xa0space");
  CHECK(printable("\x1b]0;title\x07") == "?]0;title?");
  CHECK(printable(std::string("nul\0.", 5)) == "nul?.");
  CHECK(printable("a\u202Eb\u2066c\u2069\u200F\u061C\u2028.") == "a?b?c????.");
  CHECK(printable("\xff\x9b cut \xe2\x82") == "?? cut ??");
  CHECK(printable("\xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80") == "?? ??? ????");
  CHECK(printable_lines("one\n\x1b\r\ntwo") == "one\n??\ntwo");
  std::string text = "a\tb";
  make_printable(text);
  CHECK(text == "a?b");
}

TEST_CASE("a CSV cell is quoted, and no formula") {
  CHECK(csv_cell("a,b") == "\"a,b\"");
  CHECK(csv_cell("say \"x\"") == "\"say \"\"x\"\"\"");
  CHECK(csv_cell("=1+1") == "'=1+1");
  CHECK(csv_cell("=cmd|' /C calc'!A0,\"") == "\"'=cmd|' /C calc'!A0,\"\"\"");
  for (const char* formula : {"+x", "-x", "@x", "-", "-1x", "+1"}) {
    CHECK(csv_cell(formula) == std::string("'") + formula);
  }
  for (const char* number : {"-1", "-0.25", "1e9", "-1e-05"}) CHECK(csv_cell(number) == number);
  CHECK(csv_cell("\t=x\r\n=y") == "\"?=x?\n=y\"");
}

TEST_CASE("a TSV cell stays in its column and its line") {
  CHECK(tsv_cell("a\tb\nc\rd\\t") == "a\\tb\\nc\\rd\\\\t");
  CHECK(tsv_cell("\x1b\u202E\u0085\xff") == "\\x1b\\u202e\\u0085\\xff");
}

TEST_CASE("Markdown shows the text and formats nothing") {
  CHECK(markdown_text("a|b *x* _y_ `z` [l](x) <b> $1$ ~~ a_b") ==
        "a\\|b \\*x\\* \\_y\\_ \\`z\\` \\[l\\](x) \\<b\\> \\$1\\$ \\~\\~ a_b");
  CHECK(markdown_text("- x\ny") == "\\- x?y");
}

TEST_CASE("JSON keeps its meaning and its lines") {
  CHECK(json_text("{\n  \"a\": \"\x7f\u009B\u202Eµ\"\n}\n") ==
        "{\n  \"a\": \"\\u007f\\u009b\\u202eµ\"\n}\n");
}

TEST_CASE("a text of XML is kept as far as XML allows it, and the rest is counted") {
  std::uint64_t replaced = 0;
  CHECK(xml_text("plain µs 時 𝄞", replaced) == "plain µs 時 𝄞");
  CHECK(xml_text("<&>\"'\t\n\r", replaced) == "&#60;&#38;&#62;&#34;&#39;&#9;&#10;&#13;");
  CHECK(xml_text("\u202E\u009B\x7f", replaced) == "&#8238;&#155;&#127;");
  CHECK(xml_text("\xff \xed\xa0\x80", replaced) == "&#255; &#237;&#160;&#128;");
  CHECK(replaced == 0);
  CHECK(xml_text(std::string_view("\0\x1b\uFFFE\uFFFF\uFFFD", 11), replaced) ==
        "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD");
  CHECK(replaced == 4);
}

TEST_CASE("an XML attribute holds any text") {
  CHECK(xml_attribute("<&>\"'\t\n\r") == "&#60;&#38;&#62;&#34;&#39;&#9;&#10;&#13;");
  CHECK(xml_attribute("\x1b\u202E\u009B\xff\uFFFE") == "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD");
}

}  // namespace
}  // namespace tailgate
