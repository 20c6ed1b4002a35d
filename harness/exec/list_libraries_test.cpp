#include "harness/exec/list_libraries.h"

#include <catch2/catch.hpp>

namespace tailgate {

using Paths = std::vector<std::filesystem::path>;

TEST_CASE("the libraries that glibc's dynamic linker lists") {
  CHECK(parse_library_list("\tlinux-vdso.so.1 (0x00007ffd4c9e2000)\n"
                           "\tlibgone.so.2 => not found\n"
                           "\tlibmy log.so => /opt/my (x) lib/libmy log.so (0x00007f1c9a200000)\n"
                           "\tlibc.so.6 => /lib/libc.so.6 (0x00007f1c9a000000)\n"
                           "\t/lib64/ld-linux-x86-64.so.2 (0x00007f1c9a3f0000)\n") ==
        Paths{"/opt/my (x) lib/libmy log.so", "/lib/libc.so.6", "/lib64/ld-linux-x86-64.so.2"});
}

TEST_CASE("what musl's lists, and what is no list") {
  CHECK(parse_library_list("\t/lib/ld-musl-x86_64.so.1 (0x7f43d1a6c000)\n"
                           "\tlibz.so.1 => /lib/libz.so.1 (0x7f43d1a4f000)") ==
        Paths{"/lib/ld-musl-x86_64.so.1", "/lib/libz.so.1"});
  CHECK(parse_library_list("").empty());
  CHECK(parse_library_list("\tstatically linked\n =>  (0x\nlibx.so => relative/libx.so (0x1)\n")
            .empty());
}

TEST_CASE("a program that does not exist, or has no dynamic linker, has no libraries") {
  CHECK(list_libraries("/nonexistent", "/lib64/ld-linux-x86-64.so.2").paths.empty());
  CHECK_FALSE(list_libraries("/nonexistent", "/lib64/ld-linux-x86-64.so.2").problem.empty());
  CHECK(list_libraries("/bin/sh", "").paths.empty());
  CHECK(list_libraries("/bin/sh", "").problem.empty());
}

}  // namespace tailgate
