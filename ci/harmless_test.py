"""Tests of ci/harmless: its commits change nothing that runs, its figures are right, and the built
program gates a few of them.

TAILGATE_BUILD names the build folder.
"""

import json
import math
import os
import random
import statistics
import subprocess
import sys
from pathlib import Path

import pytest
from command_module import load_command

sys.path.insert(0, str(Path(__file__).resolve().parent))

from harmless_commits import figures, kinds  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
harmless = load_command("harmless")

SOURCE = """#include "sum.h"

#include "b.h"
#include "a.h"
#include <cstdio>

namespace sums {

// The first one.
int Sum::first(int x) const {
  const int half = x / 2;
  const auto twice = 2 * x;
  if (x < 0) throw Error("the number is below nothing");
  return A + B + twice + half;
}

int Sum::second(int x) const {
  return first(x) + 1;
}

}  // namespace sums

int main() {
  std::printf("%d\\n", sums::Sum().second(7));
  return 0;
}
"""
HEADERS = {"sum.h": "#pragma once\nstruct Error { explicit Error(const char*) {} };\n"
                    "namespace sums {\n"
                    "struct Sum { int first(int x) const; int second(int x) const; };\n}\n",
           "a.h": "#pragma once\n#define A 10\n", "b.h": "#pragma once\n#define B 100\n"}


def compiled(folder, text):
    """What the program prints."""
    (folder / "sum.cpp").write_text(text)
    subprocess.run(["c++", "-O1", "-Wall", "-Wextra", "-Werror", "sum.cpp", "-o", "sum"],
                   cwd=folder, check=True)
    return subprocess.run(["./sum"], cwd=folder, check=True, capture_output=True).stdout


@pytest.mark.parametrize("kind", kinds.KINDS)
def test_a_change_leaves_what_the_program_does(tmp_path, kind):
    for name, text in HEADERS.items():
        (tmp_path / name).write_text(text)
    for number in (0, 3):
        changed = kinds.KINDS[kind](SOURCE, number)
        assert changed != SOURCE
        assert compiled(tmp_path, changed) == b"128\n"


def test_each_change_is_the_one_that_it_is_called():
    change = {kind: edit(SOURCE, 1) for kind, edit in kinds.KINDS.items()}
    reordered = change["reordered functions"]
    assert reordered.index("Sum::second(int") < reordered.index("// The first one.")
    assert "twice_1 = 2 * x" in change["renamed local"]
    assert "B + twice_1 + half" in change["renamed local"]
    assert change["reordered includes"].index("a.h") < change["reordered includes"].index("b.h")
    for kind in ("comment", "moved lines"):
        kept = [line for line in change[kind].split("\n") if line and "Note 1" not in line]
        assert kept == [line for line in SOURCE.split("\n") if line]


def test_a_file_without_a_place_is_left_out():
    text = "int x;\n"
    for kind in ("comment", "moved lines", "reordered functions", "reordered includes",
                 "renamed local", "longer text that is not printed"):
        assert kinds.KINDS[kind](text, 1) is None


def rounds(effects):
    """Rounds of a duet: the pair of layouts, and B's effect."""
    def side(ns):
        return {"outcome": "completed", "response": {"p50_ns": ns}, "trimmed_mean_ns": ns}
    return {"rounds": [{"layout_pair": pair, "a": side(1000.0), "b": side(1000 * math.exp(effect))}
                       for pair, effect in effects]}


def test_the_spread_of_layouts_is_told_from_that_of_rounds():
    chance = random.Random(5)
    layouts = [chance.gauss(0, 0.03) for _ in range(400)]
    duet = rounds([(pair, layout + chance.gauss(0, 0.02))
                   for pair, layout in enumerate(layouts) for _ in range(4)])
    pairs = figures.effects_by_pair(duet, "response_ns_p50")
    spread = figures.Spread(pairs)
    assert len(pairs) == 400 and all(len(effects) == 4 for effects in pairs.values())
    assert spread.pairs == pytest.approx(math.sqrt(0.03 ** 2 + 0.02 ** 2 / 4), rel=0.1)
    assert spread.layouts == pytest.approx(statistics.stdev(layouts), rel=0.1)
    found = figures.beyond(pairs, 0.05)
    assert found == sum(statistics.fmean(effects) > math.log(1.05) for effects in pairs.values())
    assert 0 < found < 60


def test_one_layout_has_no_spread():
    duet = rounds([(None, 0.01), (None, 0.03)])
    duet["rounds"].append({"a": {"outcome": "failed"}, "b": {"outcome": "completed"}})
    pairs = figures.effects_by_pair(duet, "service_ns_mean")
    spread = figures.Spread(pairs)
    assert spread.pairs is None and spread.layouts is None
    assert spread.largest == pytest.approx(0.02)


PROJECT = f"""[build]
command = "cc -std=c11 -O2 -fPIC -shared -I{ROOT}/providers/plugin/include log.c -o mylog.so"
plugin = "mylog.so"
[[run]]
scenario = "steady"
sinks = ["plugin"]
"""


def run(*arguments):
    return subprocess.run([sys.executable, ROOT / "ci/harmless", *map(str, arguments)],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)


def test_a_campaign_gates_its_commits_and_goes_on(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (project / "tailgate.toml").write_text(PROJECT)
    (project / "log.c").write_text((ROOT / "providers/plugin/examples/stdio_log.c").read_text())
    for words in (["init", "--quiet"], ["add", "--all"],
                  ["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "--quiet",
                   "--message", "project"]):
        subprocess.run(["git", *words], cwd=project, check=True)
    rules = tmp_path / "rules.toml"
    rules.write_text("[gate]\nlooks = [2]\nfalse_fail = 0.5\nfalse_pass = 0.5\n"
                     "allow_dirty_builds = true\n")
    out = tmp_path / "out"
    arguments = ["--repository", project, "--files", "*.c", "--sinks", "plugin", "--rules", rules,
                 "--out", out, "--program", Path(os.environ["TAILGATE_BUILD"]) / "tailgate"]
    first = run("--commits", 1, *arguments)
    assert first.returncode in (0, 1) and "1 duets: " in first.stdout, first.stderr
    duets = list((out / "layouts-15/harmless-0/gate/duets").iterdir())
    assert len(duets) == 1
    written = duets[0].stat().st_mtime_ns
    more = run("--commits", 2, *arguments)
    assert more.returncode in (0, 1), more.stderr
    assert "| comment | log\\.c | " in more.stdout or "| comment | log.c | " in more.stdout
    assert "| unused function | " in more.stdout and "2 duets: " in more.stdout
    assert duets[0].stat().st_mtime_ns == written, "what was measured is measured again"
    assert json.loads(duets[0].read_text())["b"]["layouts"] == 15
    shown = run("--commits", 2, "--show", *arguments)
    assert (out / "layouts-15/table.md").read_text() in shown.stdout
    bare = run("--commits", 1, "--without-layouts", *arguments)
    assert bare.returncode in (0, 1) and "1 duets: " in bare.stdout, bare.stderr
    (duet,) = (out / "one-layout/harmless-0/gate/duets").iterdir()
    assert "layouts" not in json.loads(duet.read_text())["b"]


@pytest.mark.parametrize("arguments, words", [
    (["--commits", "0"], "at least one"),
    (["--program", "/no/such"], "ci/test builds it")])
def test_wrong_arguments_are_usage_errors(arguments, words):
    wrong = run(*arguments)
    assert wrong.returncode == 2 and words in wrong.stderr
