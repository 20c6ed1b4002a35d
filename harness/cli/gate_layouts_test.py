"""`tailgate gate BASE HEAD` with builds that are linked in several layouts: repositories that are
made here, built by make, CMake or the compiler alone.

TAILGATE_BUILD names the build folder.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from gate_revisions_test import PLUGIN, RULES, Clone, plugin_source  # noqa: E402

LAYOUTS = 15
FUNCTIONS = 12

# Prints a number around 1000, which depends on all functions being called, and on nothing else.
SOURCE = "".join(f"int table{i}[{i + 3}] = {{{i}}}; int zero{i}[9];\n"
                 f"__attribute__((noinline)) int part{i}(int x) {{ return x + table{i}[x & 1]"
                 f" + zero{i}[x % 9]; }}\n" for i in range(FUNCTIONS))
MAIN = "#include <stdio.h>\n" + "".join(f"int part{i}(int x);\n" for i in range(FUNCTIONS)) + (
    "int main(int argc, char** argv) {\n  int sum = 1000 + 0 * argv[0][0];\n" +
    "".join(f"  sum += part{i}(2 * argc);\n" for i in range(FUNCTIONS)) +
    '  printf("%d\\n", sum);\n  return 0;\n}\n')
EXPECTED = str(1000 + 2 * FUNCTIONS + sum(range(FUNCTIONS)))

PROJECT = """[build]
command = "%s"
programs = [%s]
layouts = 15
[[benchmark]]
name = "sum"
command = "./%s"
from = "numbers"
""" + RULES

MAKEFILE = """CFLAGS = -O1 -ffunction-sections -fdata-sections
app: main.o parts.o
\t$(CC) $(CFLAGS) -o app main.o parts.o
"""
CMAKE = """cmake_minimum_required(VERSION 3.20)
project(sum C)
add_library(parts SHARED parts.c)
target_compile_options(parts PRIVATE -ffunction-sections -fdata-sections)
add_executable(app main.c)
target_link_libraries(app parts)
"""


@pytest.fixture(name="clone")
def fixture_clone(tmp_path):
    return Clone(tmp_path)


def project(command, programs=("app",), run="app"):
    return PROJECT % (command, ", ".join(f'"{name}"' for name in programs), run)


def layouts_of(clone, name):
    """The files that were linked for the only build, in order, and what the build made."""
    (build,) = (clone.root / ".tailgate/builds").iterdir()
    folder = build / "layouts" / name
    files = [folder / str(number) for number in range(LAYOUTS)]
    assert {path.name for path in folder.iterdir()} == {path.name for path in files} | {"as-built"}
    assert (build / "source" / name).read_bytes() == (folder / "as-built").read_bytes()
    return files


def symbols(file, name):
    """The addresses of the symbols that are this, or this and a number."""
    lines = subprocess.run(["nm", file], check=True, capture_output=True, text=True).stdout
    words = [line.split() for line in lines.splitlines()]
    return {word[-1]: int(word[0], 16) for word in words
            if len(word) == 3 and re.fullmatch(rf"{name}\d*", word[-1])}


def check_layouts(files, kinds=("part", "table", "zero")):
    for kind in kinds:
        found = [symbols(file, kind) for file in files]
        assert all(len(addresses) == FUNCTIONS for addresses in found)
        orders = {tuple(sorted(addresses, key=addresses.get)) for addresses in found}
        assert len(orders) == LAYOUTS, "two layouts have the same order"
        assert len({addresses[f"{kind}0"] for addresses in found}) > LAYOUTS // 2


@pytest.mark.parametrize("flags", ["", "-flto", "-static-pie -fPIE", "-no-pie", "@flags"])
def test_make_links_layouts_that_do_the_same(clone, flags):
    clone.commit(tailgate__toml=project(f"make CC='cc {flags}'"), Makefile=MAKEFILE, main__c=MAIN,
                 parts__c=SOURCE, flags="-Wl,--no-undefined '-Wl,--as-needed'\n")
    run = clone.gate("HEAD", "HEAD")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "15 layouts of each side" in run.stdout
    files = layouts_of(clone, "app")
    # What is compiled for the whole program at the link may drop variables.
    check_layouts(files, ("part",) if flags == "-flto" else ("part", "table", "zero"))
    for file in files:
        assert subprocess.run([file], check=True, capture_output=True,
                              text=True).stdout.strip() == EXPECTED
    (duet,) = (clone.root / "out/duets").iterdir()
    rounds = json.loads(duet.read_text())["rounds"]
    assert len({each["layout_pair"] for each in rounds}) == len(rounds) == 8
    if not flags:
        again = clone.gate("HEAD", "HEAD", out="again")
        assert again.returncode == 0 and "was built before" in again.stdout


def test_cmake_links_layouts_of_a_library_and_its_program(clone):
    command = "cmake -S . -B b -DCMAKE_BUILD_TYPE=Release >/dev/null && cmake --build b"
    clone.commit(tailgate__toml=project(command, ("b/app", "b/libparts.so"), "b/app"),
                 CMakeLists__txt=CMAKE, main__c=MAIN, parts__c=SOURCE)
    run = clone.gate("HEAD", "HEAD")
    assert run.returncode == 0, run.stdout + run.stderr
    check_layouts(layouts_of(clone, "b/libparts.so"))
    addresses = {symbols(file, "main")["main"] for file in layouts_of(clone, "b/app")}
    assert len(addresses) > 1


@pytest.mark.parametrize("command, words", [
    ("cc -O1 main.c parts.c -o one && cp one app", "no layouts of"),
    ("unset COMPILER_PATH; cc -O1 main.c parts.c -o app", "COMPILER_PATH"),
    ("cc -O1 -fuse-ld=gold main.c parts.c -o app", "use GNU ld"),
    ("cc -O1 -ffunction-sections main.c parts.c -o app -Wl,-T,none.ld", "none.ld")])
def test_a_build_without_layouts_is_no_verdict_and_says_what_to_do(clone, command, words):
    clone.commit(tailgate__toml=project(command), main__c=MAIN, parts__c=SOURCE)
    run = clone.gate("HEAD", "HEAD")
    assert run.returncode == 4, run.stdout + run.stderr
    assert words in run.stderr and "build.log" in run.stderr


def test_other_links_of_the_build_are_left_alone(clone):
    """A test program, an object file of several, and a link that fails."""
    command = ("cc -O1 -ffunction-sections -c main.c parts.c && ld -r main.o parts.o -o app.o && "
               "cc app.o -o other && ! cc main.o -o app 2>/dev/null && cc main.o parts.o -o app")
    clone.commit(tailgate__toml=project(command), main__c=MAIN, parts__c=SOURCE)
    run = clone.gate("HEAD", "HEAD")
    assert run.returncode == 0, run.stdout + run.stderr
    assert len(layouts_of(clone, "app")) == LAYOUTS
    (build,) = (clone.root / ".tailgate/builds").iterdir()
    assert [path.name for path in (build / "layouts").iterdir()] == ["app"]


@pytest.mark.parametrize("text, words", [
    ("layouts = 8", "fewer than 15"),
    ("layouts = 15.5", "15.5"),
    ('layouts = "15"', "layouts")])
def test_a_number_of_layouts_that_cannot_be(clone, text, words):
    clone.commit(tailgate__toml=project("true").replace("layouts = 15", text))
    run = clone.gate("HEAD", "HEAD")
    assert run.returncode == 2 and words in run.stderr, run.stderr


def gate_of_plugins(clone, base, head):
    text = PLUGIN.replace("[[run]]", "layouts = 15\n[[run]]")
    text = text.replace("-O2", "-O2 -ffunction-sections")
    clone.commit(tailgate__toml=text, log__c=base)
    clone.commit(log__c=head)
    run = clone.gate("HEAD~1", "HEAD")
    assert "15 layouts of each side" in run.stdout, run.stdout + run.stderr
    assert "layouts" in (clone.root / "out/report.md").read_text()
    (duet,) = (clone.root / "out/duets").iterdir()
    recorded = json.loads(duet.read_text())
    assert recorded["a"]["layouts"] == recorded["b"]["layouts"] == LAYOUTS
    pairs = [each["layout_pair"] for each in recorded["rounds"]]
    assert len(set(pairs)) == len(pairs) and set(pairs) <= set(range(LAYOUTS))
    return run


def test_a_plugin_whose_code_stays_the_same_does_not_fail(clone):
    source = plugin_source(2000)
    run = gate_of_plugins(clone, source, source + "int unused(int x) { return x + 1; }\n")
    assert run.returncode != 1, run.stdout + run.stderr


def test_a_slower_plugin_fails_in_all_its_layouts(clone):
    # Another place in memory can double the time of such a loop.
    run = gate_of_plugins(clone, plugin_source(2000), plugin_source(20000))
    assert run.returncode == 1, run.stdout + run.stderr
