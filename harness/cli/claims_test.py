"""Claims on the command line: the suite measures the built-in ones, and a made-up run whose answer
is known is judged.

TAILGATE_BUILD names the build folder.
"""

import copy
import json
import os
import subprocess
import tomllib
import xml.etree.ElementTree
from pathlib import Path

import pytest

PROGRAM = Path(os.environ["TAILGATE_BUILD"]) / "tailgate"
ROOT = Path(__file__).resolve().parents[2]
FIXTURE = ROOT / "results/fixtures/v6-steady@file_mode-mmap@quick.json"
SCENARIOS = ROOT / "scenarios"

CLAIM = """[[claim]]
claim = "half of the calls take at most {limit}"
source = "https://example.org/README.md"
run = {{ scenario = "steady", sink = "file:mode=mmap" }}
holds = "service p50 <= {limit}"
"""


def tailgate(*arguments, cwd):
    return subprocess.run([PROGRAM, *map(str, arguments)], cwd=cwd, capture_output=True, text=True,
                          timeout=100, check=False)


@pytest.fixture(name="folder")
def fixture_folder(tmp_path):
    """Five trials whose calls' median is 1 us, on a quiet machine."""
    made = json.loads(FIXTURE.read_text())
    trial = made["trials"][0]
    trial["noise"]["lost_share"] = 0
    trial["service"]["p50_ns"] = 1000
    made["trials"] = []
    for index in range(5):
        made["trials"].append(copy.deepcopy(trial) | {"index": index})
    for absent in ("traced", "controls", "disturbance", "remarks"):
        made[absent] = []
    made["summary"] = made["summary"][:1]
    made["summary"][0]["trials"] = 5
    made["sink"].update(name="file", label="file:mode=mmap")
    (tmp_path / "results").mkdir()
    (tmp_path / "results/made.json").write_text(json.dumps(made))
    (tmp_path / "mine.toml").write_text(
        CLAIM.format(limit="2us") + CLAIM.format(limit="100ns") +
        CLAIM.format(limit="3us").replace("mode=mmap", "mode=writev") +
        CLAIM.format(limit="4us").replace("file:mode=mmap", "etw"))
    return tmp_path


def test_claims_hold_or_do_not_or_cannot_be_told(folder):
    done = tailgate("claims", "mine.toml", "results", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Claims: 1 holds, 1 does not hold, 2 cannot be told here\n")
    assert "tailgate run steady --sink file:mode=writev --trials 5 --out DIR" in done.stdout
    shown = json.loads(tailgate("claims", "results", "mine.toml", "--json", cwd=folder).stdout)
    assert [one["verdict"] for one in shown["claims"]] == [
        "holds", "does not hold", "cannot be told here", "cannot be told here"]
    reasons = [one["reason"] for one in shown["claims"]]
    assert reasons[:2] == ["", ""] and reasons[2].startswith("not measured: ")
    assert reasons[3].startswith("sink 'etw' is not available here: ")
    assert shown["claims"][0]["shown"][0]["figure"]["value"] == 1000
    assert shown["claims"][0]["files"] == ["results/made.json"]


def test_a_page_and_a_table_are_written(folder):
    done = tailgate("claims", "mine.toml", "results", "--html", "c.html", "--markdown", "c.md",
                    cwd=folder)
    assert done.returncode == 0, done.stderr
    page = (folder / "c.html").read_text()
    body = xml.etree.ElementTree.fromstring(page.removeprefix("<!DOCTYPE html>\n"))
    assert len(body.findall(".//tbody/tr")) == 4
    assert "http" not in page.replace("https://example.org", "") and "<script" not in page
    rows = [line for line in (folder / "c.md").read_text().splitlines() if line.startswith("|")]
    assert len(rows) == 2 + 4


def test_a_damaged_result_does_not_hide_the_others(folder):
    (folder / "results/cut.json").write_text(FIXTURE.read_text()[:2000])
    done = tailgate("claims", "mine.toml", "results", cwd=folder)
    assert done.returncode == 1 and "left out: results/cut.json" in done.stderr
    assert "1 holds" in done.stdout


@pytest.mark.parametrize("wrong, said", [
    ("", "no claim"), ("[[claim]", "mine.toml:1"), ("[[claim]]\nclaim = 5\n", "mine.toml:2"),
    (CLAIM.format(limit="2"), "mine.toml:5: 'service p50 <= 2'"),
    (CLAIM.format(limit="2us").replace("steady", "stedy"), "mine.toml:1: ")])
def test_a_wrong_file_of_claims_is_refused_with_its_line(folder, wrong, said):
    (folder / "mine.toml").write_text(wrong)
    done = tailgate("claims", "mine.toml", "results", cwd=folder)
    assert done.returncode == 2 and said in done.stderr and not done.stdout, done.stderr


def built_in():
    return tomllib.loads((SCENARIOS / "claims/claims.toml").read_text())["claim"]


def number(value):
    """An option's value, as far as claims use them."""
    units = {"k": 1e3, "M": 1e6}
    text = str(value).strip()
    return float(text[:-1]) * units[text[-1]] if text[-1] in units else float(text)


def is_measured(run, part):
    options = part["set"]
    if part["scenario"] != run["scenario"] or run["sink"] not in part["sinks"]:
        return False
    rates = str(options.get("rates_hz", options.get("rate_hz", "0"))).split(",")
    if "rate" in run and number(run["rate"]) not in map(number, rates):
        return False
    return all(options.get(name) == value for name, value in run.get("set", {}).items())


def test_the_suite_measures_every_built_in_claim_and_nothing_else():
    parts = tomllib.loads((SCENARIOS / "suites/claims.toml").read_text())["run"]
    runs = [claim["run"] for claim in built_in()]
    runs += [claim["run"] | claim["than"] for claim in built_in() if "than" in claim]
    for run in runs:
        assert any(is_measured(run, part) for part in parts), run
    for part in parts:
        for sink in part["sinks"]:
            alone = part | {"sinks": [sink]}
            assert any(is_measured(run, alone) for run in runs), alone


def test_built_in_claims_name_their_source_and_are_shown(folder):
    claims = built_in()
    assert len(claims) >= 25
    for claim in claims:
        source = claim["source"]
        assert source.startswith("https://") or (ROOT / source).is_file(), source
    shown = tailgate("claims", cwd=folder)
    assert shown.returncode == 0, shown.stderr
    assert "tailgate run claims --out DIR" in shown.stdout
    for line in shown.stdout.splitlines():
        assert len(line) <= 80 or line.startswith("["), line  # an address stays whole
    figures = json.loads(tailgate("claims", "--json", cwd=folder).stdout)
    assert [one["claim"] for one in figures["claims"]] == [claim["claim"] for claim in claims]
    etw = [one for one in figures["claims"] if one["run"].split("@")[1].startswith("etw")]
    assert len(etw) >= 5 and all("not available" in one["reason"] for one in etw)
