"""The gate as a user runs it: duets, verdicts in every format, plots, the gate's own record.

TAILGATE_BUILD names the build folder.
"""

import base64
import json
import os
import re
import signal
import subprocess
import sys
import xml.etree.ElementTree
import zlib
from pathlib import Path

import jsonschema
import pytest

PROGRAM = Path(os.environ["TAILGATE_BUILD"]) / "tailgate"
ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "results/verdict-schema.json").read_text())
# Three rounds cannot fail anything (1/8 is the smallest p value), but they can pass.
POLICY = "[gate]\nlooks = [3]\nfalse_fail = 0.01\nfalse_pass = 0.2\nallow_dirty_builds = true\n"
SHORT = POLICY.replace("[3]", "[1]")  # decides nothing
TURNS = ("--turns", "4", "--turn-ms", "20", "--warmup-turns", "1", "--rounds", "3", "--quiet")
DUET = ("--set", "rate_hz=20000", *TURNS)


def tailgate(*arguments, cwd):
    return subprocess.run([str(PROGRAM), *map(str, arguments)], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=100, check=False, cwd=cwd)


@pytest.fixture(name="folder", scope="module")
def fixture_folder(tmp_path_factory):
    """A folder with a policy and a duet of three rounds of the null sink with itself."""
    folder = tmp_path_factory.mktemp("gate")
    (folder / "policy.toml").write_text(POLICY)
    (folder / "short.toml").write_text(SHORT)
    run = tailgate("duet", "null", *DUET, "--out", "duet.json", cwd=folder)
    assert (folder / "duet.json").exists(), run.stderr
    return folder


def test_a_duet_is_judged_in_every_format(folder):
    run = tailgate("gate", "duet.json", "--policy", "policy.toml", "--json", "v.json", "--junit",
                   "v.xml", "--markdown", "v.md", "--text", "v.txt", cwd=folder)
    assert run.returncode in (0, 3, 4), run.stderr
    [verdict] = json.loads((folder / "v.json").read_text())
    jsonschema.Draft202012Validator(SCHEMA).validate(verdict)
    assert verdict["duet"] == "duet.json" and verdict["policy"] == "policy.toml"
    assert {"pass": 0, "inconclusive": 3, "invalid": 4}[verdict["outcome"]] == run.returncode
    assert len(verdict["metrics"]) > 10
    suites = xml.etree.ElementTree.parse(folder / "v.xml").getroot()
    assert suites.tag == "testsuites"
    assert len(suites.findall("testsuite/testcase")) == int(suites.get("tests"))
    assert f"**{verdict['outcome']}**" in (folder / "v.md").read_text()
    assert (folder / "v.txt").read_text() == run.stdout
    assert all(len(line) <= 80 for line in run.stdout.splitlines())


def test_duets_without_a_file_are_named_one_by_one(folder):
    run = tailgate("gate", "--missing", "inconclusive", "steady", "lttng", "no time was left",
                   "--missing", "invalid", "steady", "file:mode=mmap", "exit code 9", "duet.json",
                   "--allow-dirty", "--json", "missing.json", cwd=folder)
    assert run.returncode == 4, run.stdout + run.stderr
    verdicts = json.loads((folder / "missing.json").read_text())
    assert [v["sink"] for v in verdicts] == ["lttng", "file:mode=mmap", "null"]
    for verdict in verdicts:
        jsonschema.Draft202012Validator(SCHEMA).validate(verdict)


@pytest.mark.parametrize("sides, code, reason", [
    (("synthetic", "synthetic:read_crash_at=100"), 1, "side B did not run to its end"),
    (("synthetic:read_crash_at=100", "synthetic"), 4, "side A did not run to its end")])
def test_a_side_that_nobody_could_read_back_never_passes(folder, sides, code, reason):
    run = tailgate("duet", *sides, *DUET, "--gate", "--policy", "policy.toml", "--out",
                   "unchecked.json", "--force", cwd=folder)
    assert run.returncode == code, run.stdout + run.stderr
    assert reason in " ".join(run.stdout.split())


def test_verdicts_are_drawn(folder):
    run = tailgate("gate", "duet.json", "--allow-dirty", "--plots", "plots", cwd=folder)
    assert run.returncode in (0, 3, 4), run.stderr
    assert sorted(path.suffix for path in (folder / "plots").iterdir()) == [".json", ".png", ".svg"]


def test_a_duet_ends_with_the_verdict_when_it_is_asked_to(folder):
    run = tailgate("duet", "null", *DUET, "--gate", "--policy", "policy.toml", "--out", "own.json",
                   cwd=folder)
    again = tailgate("gate", "own.json", "--policy", "policy.toml", cwd=folder)
    assert run.returncode == again.returncode, run.stderr
    assert run.stdout.splitlines()[0] == again.stdout.splitlines()[0]


@pytest.mark.skipif(not sys.platform.startswith("linux") or os.geteuid() != 0,
                    reason="the kernel lets root alone probe a program's functions")
def test_a_duet_says_what_was_allocated(folder):
    run = tailgate("duet", "synthetic:plant_leak_bytes=0", "synthetic:plant_leak_bytes=4096", *DUET,
                   "--explain", "--explain-s", "12", "--out", "leak.json", cwd=folder)
    assert run.returncode == 0, run.stderr
    duet = json.loads((folder / "leak.json").read_text())
    amounts = {one["measure"]: one for one in duet["difference"]["amounts"]}
    if "allocated" not in amounts and "allocations" in duet["difference"]["limits"]:
        pytest.skip(duet["difference"]["limits"])
    allocated = amounts["allocated"]
    # The plant takes its 4096 bytes a call from blocks of 64 KiB.
    largest = allocated["parts"][0]
    assert largest["name"] == "blocks of 32 to 64 KiB"
    assert "Leak::grow" in largest["caller"]
    assert largest["difference"] == pytest.approx(allocated["difference"], rel=0.05)
    assert largest["difference"] >= 4096 * duet["rounds"][0]["b"]["service"]["count"]
    text = " ".join(run.stdout.split())
    assert "allocated and not freed" in text and "blocks of 32 to 64 KiB, from Leak::grow()" in text


def test_a_duet_says_why_its_sides_differ(folder):
    run = tailgate("duet", "synthetic:plant_slower_percent=0", "synthetic:plant_slower_percent=100",
                   *DUET, "--explain", "--explain-s", "4", "--out", "why.json", cwd=folder)
    assert run.returncode == 0, run.stderr
    duet = json.loads((folder / "why.json").read_text())
    schema = json.loads((ROOT / "results/duet-schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(duet)
    difference = duet["difference"]
    assert difference["rounds"] >= 1
    assert f"why, by {difference['rounds']} traced rounds" in run.stdout
    measures = [one["measure"] for one in difference["sums"]]
    assert measures[:2] == ["call", "slow_call"]
    for one in difference["sums"]:
        assert sum(part["difference_ns"] for part in one["parts"]) == pytest.approx(
            one["difference_ns"], abs=0.01)
    # No side has losses, and memory is explained where page faults may be sampled.
    assert {one["measure"] for one in difference["amounts"]} <= {"memory"}
    for one in difference["amounts"]:
        assert one["unit"] == "bytes" and one["a"] > 1e6
        assert sum(part["difference"] for part in one["parts"]) == pytest.approx(
            one["difference"], abs=1)
    again = tailgate("gate", "why.json", "--allow-dirty", "--json", "why-verdict.json", cwd=folder)
    assert again.returncode == 3, again.stderr
    [verdict] = json.loads((folder / "why-verdict.json").read_text())
    assert verdict["difference"] == difference


def losses_of(folder, a, b, rate_hz=20_000):
    """The losses of a duet's traced rounds, and the run's text."""
    (folder / "losses.json").unlink(missing_ok=True)
    run = tailgate("duet", a, b, "--set", f"rate_hz={rate_hz}", *TURNS, "--explain",
                   "--explain-s", "3", "--out", "losses.json", cwd=folder)
    assert run.returncode == 0, run.stderr
    duet = json.loads((folder / "losses.json").read_text())
    schema = json.loads((ROOT / "results/duet-schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(duet)
    losses = [one for one in duet["difference"]["amounts"] if one["measure"] == "losses"]
    for one in losses:
        assert sum(part["difference"] for part in one["parts"]) == pytest.approx(
            one["difference"], abs=1e-6)
    return losses, run.stdout


def test_a_duet_says_which_losses_grew(folder):
    [losses], text = losses_of(folder, "null:plant_loss_share=0.01", "null:plant_loss_share=0.2")
    assert losses["unit"] == "per million events"
    assert losses["rounds"] >= 1
    # 2,000 events a side and round: of a fifth of them the standard error is a hundredth.
    for figures in (losses, losses["parts"][0]):
        assert figures["a"] == pytest.approx(10_000, abs=10_000)
        assert figures["difference"] == pytest.approx(190_000, abs=60_000)
    assert losses["untraced"] == pytest.approx(190_000, abs=60_000)
    [first, rest] = losses["parts"]
    assert (first["cause"], first["name"], first["module"]) == ("loss", "planted", "provider")
    assert rest["cause"] == "rest" and rest["difference"] == pytest.approx(0, abs=1e-6)
    assert "events lost of a million" in text and ": planted, reported by the provider" in text


def test_a_queue_that_overruns_is_named(folder):
    sinks = tailgate("sinks", "--json", cwd=folder)
    if not any(sink["name"] == "spdlog" and sink["available"] for sink in json.loads(sinks.stdout)):
        pytest.skip("this build has no spdlog")
    queue = "spdlog:mode=async_overrun:flush_each=true:queue_events="
    losses, text = losses_of(folder, f"{queue}65536", f"{queue}1", 200_000)
    if not losses:
        pytest.skip("the worker kept up with 200,000 events a second")
    [overrun] = losses
    assert overrun["a"] == 0  # 20,000 events a round fit into its queue
    first = overrun["parts"][0]
    assert (first["name"], first["module"]) == ("queue overrun", "provider")
    assert first["difference"] == pytest.approx(overrun["difference"])
    assert ": queue overrun, reported by the provider" in text


def test_fewer_rounds_than_a_look_needs_are_inconclusive(folder):
    run = tailgate("gate", "duet.json", "--allow-dirty", cwd=folder)
    assert run.returncode == 3
    assert run.stdout.startswith("INCONCLUSIVE")


@pytest.mark.parametrize("arguments, words", [
    (["gate", "none.json"], "none.json"),
    (["gate", "policy.toml"], "--baseline"),
    (["gate", "duet.json", "--policy", "bad.toml"], "bad.toml:2: look 3 does not come after 5"),
    (["compare", "none.json"], "none.json"),
    (["policy", "bad.toml"], "bad.toml:2"),
    (["selftest", "gate", "--change", "faster"], "--change: 'faster' is not known")])
def test_usage_errors_are_told_from_verdicts(folder, arguments, words):
    (folder / "bad.toml").write_text("[gate]\nlooks = [5, 3]\n")
    run = tailgate(*arguments, cwd=folder)
    assert run.returncode == 2
    assert words in run.stderr


def lines_of(record, run, metric):
    """The values of sides A and B in a run of the gate's record."""
    [column] = [column for column in record["metrics"] if column["name"] == metric]
    lines = zlib.decompress(base64.b64decode(column["values"])).decode().split("\n")
    return [list(map(float, line.split())) for line in lines[2 * run:2 * run + 2]]


def test_the_record_of_the_gate_grows_and_is_shown(folder):
    arguments = ["selftest", "gate", "--sink", "null", "--change", "none", "--set", "rate_hz=20000",
                 "--policy", "short.toml", "--relabel", "20"]
    first = tailgate(*arguments, "--same", "1", cwd=folder)
    assert first.returncode == 0, first.stderr
    second = tailgate(*arguments, "--same", "2", cwd=folder)
    assert second.returncode == 0, second.stderr
    record = json.loads((folder / "calibration.json").read_text())
    assert [run["seed"] for run in record["runs"]] == [1, 2]
    assert {run["planted"] for run in record["runs"]} == {"none"}
    for run in (0, 1):
        assert [len(side) for side in lines_of(record, run, "response_ns_p50")] == [1, 1]
    shown = tailgate("selftest", "gate", "--policy", "short.toml", "--relabel", "20", "--show",
                     "--json", "figures.json", cwd=folder)
    assert shown.stdout == second.stdout
    figures = json.loads((folder / "figures.json").read_text())
    assert figures["runs"] == 2 and figures["scores"][0]["equal"] == 2
    assert figures["rows"][0]["planted"] == "none"
    assert figures["relabelled"][0]["gates"] == 20
    facts = {column["name"] for column in record["facts"]}
    assert facts >= {"a_started_first", "a_made_first", "duration_ns", "gaps_over_10us"}
    assert "### null" in shown.stdout and "drawn from the 2 with" in shown.stdout
    assert "\n2 runs, 20" in shown.stdout


def test_a_record_of_another_night_counts_and_stays_as_it_is(folder):
    arguments = ["selftest", "gate", "--sink", "null", "--change", "none", "--set", "rate_hz=20000",
                 "--policy", "short.toml", "--relabel", "20"]
    first = tailgate(*arguments, "--same", "1", "--record", "monday.json", cwd=folder)
    assert first.returncode == 0, first.stderr
    monday = (folder / "monday.json").read_bytes()
    second = tailgate(*arguments, "--same", "2", "--record", "monday.json", "--record",
                      "tuesday.json", cwd=folder)
    assert second.returncode == 0, second.stderr
    assert (folder / "monday.json").read_bytes() == monday
    assert len(json.loads((folder / "tuesday.json").read_text())["runs"]) == 1
    assert "drawn from the 2 with" in second.stdout
    (folder / "copy.json").write_bytes(monday)
    for records, words in [(["none.json"], "none.json"),
                           (["monday.json", "copy.json"], "recorded twice")]:
        options = [word for record in records for word in ("--record", record)]
        run = tailgate("selftest", "gate", "--show", *options, cwd=folder)
        assert run.returncode == 2 and words in run.stderr


IDLE = ("selftest", "gate", "--idle", "--set", "rate_hz=20000", "--policy", "short.toml",
        "--relabel", "0", "--record", "idle.json")


def test_an_idle_calibration_goes_on_where_it_stopped(folder):
    arguments = (*IDLE, "--sink", "synthetic", "--most-busy", "1000", "--quiet-s", "0",
                 "--change", "none", "--change", "slower-25")
    first = tailgate(*arguments, "--same", "2", "--planted", "0", cwd=folder)
    assert first.returncode == 0, first.stderr
    assert "1 to go" in first.stderr and "0 to go" in first.stderr
    before = json.loads((folder / "idle.json").read_text())["runs"]
    second = tailgate(*arguments, "--same", "3", "--planted", "1", cwd=folder)
    assert second.returncode == 0, second.stderr
    runs = json.loads((folder / "idle.json").read_text())["runs"]
    assert runs[:2] == before
    assert sorted(run["planted"] for run in runs) == ["none"] * 3 + ["slower-25"]
    # The smallest share of what is wanted comes first.
    assert runs[2]["planted"] == "slower-25"


def test_an_idle_calibration_starts_nothing_while_the_machine_is_not_idle(folder):
    run = tailgate(*IDLE, "--sink", "null", "--quiet-s", "3600", "--minutes", "0.03", "--record",
                   "busy.json", cwd=folder)
    assert run.returncode == 0, run.stderr
    assert not (folder / "busy.json").exists()


def test_an_interrupt_leaves_the_record_whole(folder):
    words = (*IDLE[:-1], "cut.json", "--sink", "null", "--most-busy", "1000", "--quiet-s", "0",
             "--change", "none", "--same", "1000")
    with subprocess.Popen([str(PROGRAM), *words], cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert "to go" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=100)
    assert process.returncode == 130
    runs = json.loads((folder / "cut.json").read_text())["runs"]
    assert [run["seed"] for run in runs] == list(range(1, len(runs) + 1)) and runs


def test_without_a_sink_those_of_the_policy_are_calibrated_at_their_loads(folder):
    (folder / "runs.toml").write_text(
        SHORT + '[[run]]\nscenario = "steady"\nsinks = ["null"]\nset = { rate_hz = 30_000 }\n'
        '[[run]]\nscenario = "steady"\nsinks = ["null", "synthetic"]\nset = { rate_hz = 20_000 }\n')
    run = tailgate("selftest", "gate", "--policy", "runs.toml", "--change", "none", "--same", "1",
                   "--relabel", "0", "--record", "runs.json", cwd=folder)
    assert run.returncode == 0, run.stderr
    runs = json.loads((folder / "runs.json").read_text())["runs"]
    assert {run["sink"]: run["scenario"] for run in runs} == {
        "null": "steady rate_hz=30000", "synthetic": "steady rate_hz=20000"}


def test_a_record_of_version_1_is_shown_and_converted_when_it_grows(folder):
    path = folder / "old.json"
    # The fixture has a value that is beyond what a gate compares; this test is not about that.
    old = (ROOT / "results/fixtures/calibrations/v1.json").read_bytes()
    path.write_bytes(old.replace(b"2e+300", b"2e+17"))
    shown = tailgate("selftest", "gate", "--show", "--record", "old.json", cwd=folder)
    assert shown.returncode == 0, shown.stderr
    assert "\n3 runs, 2026-06-01;" in shown.stdout
    assert json.loads(path.read_text())["version"] == 1
    grown = tailgate("selftest", "gate", "--sink", "null", "--change", "none", "--same", "1",
                     "--set", "rate_hz=20000", "--policy", "short.toml", "--relabel", "0",
                     "--record", "old.json", cwd=folder)
    assert grown.returncode == 0, grown.stderr
    record = json.loads(path.read_text())
    assert record["version"] == 3 and len(record["runs"]) == 4
    assert lines_of(record, 0, "response_ns_p50") == [[385, 402, 408], [389, 401, 411]]
    assert lines_of(record, 3, "daemon_ns_per_event") == [[], []]


def test_the_documented_tables_are_those_of_the_kept_records(folder):
    records = sorted((ROOT / "results/calibration").glob("*.json"))
    options = [word for record in records for word in ("--record", record)]
    run = tailgate("selftest", "gate", "--show", "--relabel", "0", *options, cwd=folder)
    assert run.returncode == 0, run.stderr
    documented = (ROOT / "ci/CALIBRATION.md").read_text()
    tables = run.stdout.split("\n\n")
    assert len(tables) > 8
    for part in tables:
        assert part.strip() in documented


def listed_changes():
    """Name and label of each change, as the command's help lists them."""
    text = tailgate("selftest", "gate", "--help", cwd=ROOT).stdout
    lines = text.split("Changes, and whether each must be detected:\n")[1].split("\n\n")[0]
    return [tuple(line.split()[:2]) for line in lines.splitlines()]


def test_the_planted_changes_and_their_labels_are_documented():
    text = (ROOT / "ci/CALIBRATION.md").read_text()
    rows = re.findall(r"^\| `([a-z0-9-]+)` \|[^|]+\| (\w+)", text, flags=re.MULTILINE)
    assert rows == listed_changes()


def test_each_planted_change_is_one_that_sinks_take(folder):
    changes = [name for name, _ in listed_changes() if name != "daemon-10"]
    assert len(changes) > 15
    for change in changes:
        # A ramp makes no duet, so each ends before its first round, with the command that it was.
        run = tailgate("selftest", "gate", "--sink", "null", "--change", change, "--scenario",
                       "ramp", cwd=folder)
        assert run.returncode != 0
        command = re.search(r"tailgate (duet .*)$", run.stderr, flags=re.MULTILINE).group(1)
        alone = tailgate(*command.split(), "--force", cwd=folder)
        assert "a ramp cannot be divided" in alone.stderr, f"{change}: {alone.stderr}"
        assert ("payload=lognormal" in command) == (change == "large-events")
