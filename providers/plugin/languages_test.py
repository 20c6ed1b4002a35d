"""Sinks that are programs in other languages: examples, faulty programs, faulty descriptions.

TAILGATE_BUILD names the build folder.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

BUILD = Path(os.environ["TAILGATE_BUILD"]).resolve()
PROGRAM = BUILD / "tailgate"
HERE = Path(__file__).resolve().parent
# Debian's own programs, where they are there, and not others of the same name.
PATH = "/usr/bin:" + os.environ["PATH"]
PYTHON_LOG = HERE / "examples/python_log.toml"
FAULTY = HERE / "testing/faulty_driver.toml"


def tailgate(*arguments, cwd=None):
    return subprocess.run([str(PROGRAM), *map(str, arguments)], capture_output=True, text=True,
                          cwd=cwd, stdin=subprocess.DEVNULL, timeout=100, check=False,
                          env={**os.environ, "PATH": PATH})


def run(sink, folder, *settings, scenario="steady", options=()):
    """One trial; returns what the program ended with, and the trial's part of the result."""
    arguments = [f"--set={setting}" for setting in settings]
    done = tailgate("run", scenario, "--sink", sink, "--trials", "1", "--no-control", "--noise-s",
                    "0", "--out", folder / "out", "--force", *arguments, *options)
    files = list((folder / "out").iterdir()) if (folder / "out").exists() else []
    assert len(files) == 1, done.stderr
    result = json.loads(files[0].read_text())
    return done, result, result["trials"][0]


class Example:
    """sink: what `build` makes in the folder of the examples' copies, where it runs."""

    def __init__(self, sink, needs, build=(), threads=2, driver=True):
        self.sink = sink
        self.needs = needs
        self.build = [str(word) for word in build]
        self.threads = threads
        self.driver = driver


JAVA_FILES = [HERE / "drivers/java/tailgate" / file for file in
              ("TailgateDriver.java", "TailgateMemory.java", "TailgateRecords.java")]
EXAMPLES = {
    "python": Example("python_log.toml", "python3"),
    "java": Example("java_log.toml", "javac",
                    ("javac", "-Xlint:all", "-Werror", "-d", ".", "JavaLog.java", *JAVA_FILES)),
    "node": Example("node_log.toml", "node", threads=1),
    "go": Example("go_program.toml", "go",
                  ("env", "-C", "go_program", "go", "build", "-o", "../go_program.bin")),
    "go_library": Example("go_log/libgo_log.so", "go",
                          ("env", "-C", "go_log", "go", "build", "-buildmode=c-shared", "-o",
                           "libgo_log.so"), driver=False),
    "rust": Example("librust_log.so", "rustc",
                    ("rustc", "-O", "-C", "panic=abort", "-D", "warnings", "--crate-type",
                     "cdylib", "rust_log.rs", "-o", "librust_log.so"), driver=False),
}


@pytest.fixture(scope="module", name="folder")
def fixture_folder(tmp_path_factory):
    """The layout of the sources, which the descriptions' commands refer to."""
    folder = tmp_path_factory.mktemp("examples")
    (folder / "drivers").mkdir()
    shutil.copytree(HERE / "examples", folder / "examples")
    for language in ("python", "node", "go"):
        (folder / "drivers" / language).symlink_to(HERE / "drivers" / language)
    return folder


@pytest.fixture(scope="module", name="example", params=EXAMPLES)
def fixture_example(request, folder):
    """An example, built where its language is there, with the path of its sink."""
    example = EXAMPLES[request.param]
    if shutil.which(example.needs, path=PATH) is None:
        pytest.skip(f"there is no {example.needs}: ci/setup test installs it")
    if example.build:
        environment = {**os.environ, "PATH": PATH, "GOCACHE": str(folder / "go-cache"),
                       "GOPROXY": "off", "CGO_CFLAGS": f"-O2 -I{HERE / 'include'}"}
        subprocess.run(example.build, cwd=folder / "examples", check=True, env=environment)
    example.path = folder / "examples" / example.sink
    return example


def test_the_examples_keep_the_contract(example):
    done = tailgate("check", example.path)
    assert done.returncode == 0, done.stdout
    assert "BROKEN" not in done.stdout and "the contract is kept" in done.stdout
    assert "emitted 3000 = delivered 3000 + lost 0" in done.stdout


def test_every_call_of_an_open_load_is_measured(example, tmp_path):
    done, result, trial = run(example.path, tmp_path, "rate_hz=1000", "duration_s=0.5",
                              "warmup_s=0.2", f"threads={example.threads}")
    assert done.returncode == 0, done.stderr
    assert trial["outcome"] == "completed"
    # The schedule is the harness's own: 0.5 s of 1,000 events/s, in 0.7 s altogether.
    assert trial["measured"] + trial["unissued"] == 500
    for name in ("service", "response", "start_lag"):
        assert trial[name]["count"] == trial["measured"]
    ledger = trial["ledger"]
    assert ledger["emitted"] == 700 - trial["unissued"] == ledger["delivered"]
    assert ledger["unaccounted"] == 0 and ledger["lost"] == 0
    slowest = trial["slowest"][0]
    assert slowest["end_ns"] - slowest["start_ns"] == pytest.approx(trial["service"]["max_ns"],
                                                                    rel=0.002)
    assert trial["floor"]["service"]["count"] >= 10_000
    assert trial["floor"]["two_clock_reads_ns"] > 0 and trial["floor"]["loop_ns"] > 0
    granted = {setting["name"]: setting["value"] for setting in trial["granted"]}
    made = [remark for remark in trial["remarks"] if "made the calls" in remark["what"]]
    if not example.driver:
        assert granted["plugin"].startswith("crc32 ") and not made
        return
    assert result["clock"]["kind"] == "monotonic"
    assert granted["program"].startswith("crc32 ")
    assert f"a program in {granted['driver']} made the calls" in made[0]["what"]


def test_a_closed_loop_in_batches_pauses_after_each(example, tmp_path):
    done, _, trial = run(example.path, tmp_path, "events=100", "warmup_s=0", "pause_s=0.02",
                         scenario="batches")
    assert done.returncode == 0, done.stderr
    assert trial["measured"] == 100 and trial["ledger"]["unaccounted"] == 0
    # Of five batches of 20 calls.
    assert trial["end_ns"] - trial["start_ns"] >= 4 * 20_000_000


def test_a_planted_delay_is_seen(example, tmp_path):
    _, _, trial = run(f"{example.path}:sleep_us=5000", tmp_path, "rate_hz=50", "duration_s=1",
                      "warmup_s=0.1")
    assert trial["outcome"] == "completed"
    for name in ("service", "response"):
        # On a busy machine most calls are late, but some are not.
        assert 4.99e6 < trial[name]["min_ns"] < 9e6, trial[name]
        assert trial[name]["p50_ns"] >= 5e6


def test_an_overloaded_schedule_shows_in_the_response_alone(example, tmp_path):
    """Calls of 5 ms, due every 4 ms: the load ends when half of its time again is over."""
    _, _, trial = run(f"{example.path}:sleep_us=5000", tmp_path, "rate_hz=250", "duration_s=1",
                      "warmup_s=0")
    assert trial["outcome"] == "completed" and trial["rate_missed"]
    assert trial["response"]["max_ns"] > 10 * trial["service"]["p50_ns"]
    assert trial["measured"] + trial["unissued"] == 250
    assert trial["ledger"]["unaccounted"] == 0


def test_two_of_them_meet_in_a_duet(example, tmp_path):
    done = tailgate("duet", example.path, f"{example.path}:sleep_us=200", "--scenario", "steady",
                    "--set", "rate_hz=1000", "--rounds", "1", "--turns", "5", "--warmup-turns",
                    "1", "--out", tmp_path / "duet.json")
    assert done.returncode == 0, done.stderr
    duet = json.loads((tmp_path / "duet.json").read_text())
    assert duet["complete"]
    (one,) = duet["rounds"]
    for side in (one["a"], one["b"]):
        assert side["outcome"] == "completed"
        assert side["ledger"]["unaccounted"] == 0 and side["ledger"]["checked"]
    assert one["b"]["service"]["min_ns"] > 199_000 > one["a"]["service"]["min_ns"]
    assert one["a"]["events"] + one["a"]["dropped"] > 0


def test_a_duet_with_a_sink_of_tailgates_own_has_one_clock(tmp_path):
    done = tailgate("duet", "file", PYTHON_LOG, "--rounds", "1", "--turns", "5", "--set",
                    "rate_hz=2000", "--out", tmp_path / "duet.json")
    assert done.returncode == 0, done.stderr
    duet = json.loads((tmp_path / "duet.json").read_text())
    assert duet["complete"] and duet["clock"]["kind"] == "monotonic"
    for side in (duet["rounds"][0]["a"], duet["rounds"][0]["b"]):
        assert side["outcome"] == "completed" and side["ledger"]["unaccounted"] == 0


@pytest.mark.parametrize("fault, outcome, detail", [
    ("raises_at_opening", "failed", "OSError: no such queue: /dev/queue7"),
    ("is_never_ready", "hung", "opening the sink took longer than 2 s"),
    ("ends_early", "crashed", "the provider ended by exit code 0"),
    ("crashes", "crashed", "the provider ended by signal 6 (Aborted)"),
    ("hangs", "hung", "event 499 of thread 0: the call had not returned after"),
    ("raises", "failed", "ValueError: event 500 of thread 0"),
    ("writes_garbage", "failed", "the histograms in the shared memory are damaged: "),
    ("counts_twice", "failed", "the histograms in the shared memory are damaged: "),
])
def test_a_fault_is_the_outcome_of_its_trial(fault, outcome, detail, tmp_path):
    done, _, trial = run(f"{FAULTY}:fault={fault}", tmp_path, "rate_hz=2000", "duration_s=0.5",
                         "warmup_s=0", options=("--hang-timeout-s", "2"))
    assert done.returncode == 1, done.stderr
    assert trial["outcome"] == outcome, trial["outcome_detail"]
    assert detail in trial["outcome_detail"]


@pytest.mark.parametrize("fault, detail", [
    ("damages_the_log", "calls is damaged: it holds more than were made, or"),
    ("crashes", "signal 6 (Aborted)"),
    ("raises", "ValueError: event 500")])
def test_a_fault_in_a_duet_is_the_outcome_of_its_side(fault, detail, tmp_path):
    done = tailgate("duet", FAULTY, f"{FAULTY}:fault={fault}", "--scenario", "steady", "--set",
                    "rate_hz=2000", "--rounds", "1", "--turns", "5", "--turn-ms", "150", "--out",
                    tmp_path / "duet.json")
    assert done.returncode == 1, done.stderr
    (one,) = json.loads((tmp_path / "duet.json").read_text())["rounds"]
    assert one["b"]["outcome"] in ("failed", "crashed")
    assert detail in one["b"]["outcome_detail"]


@pytest.mark.parametrize("fault, lost, cause, by", [("drops", 10, "dropped", "call")])
def test_refusals_have_their_cause(fault, lost, cause, by, tmp_path):
    _, _, trial = run(f"{FAULTY}:fault={fault}", tmp_path, "rate_hz=2000", "duration_s=0.5",
                      "warmup_s=0")
    assert trial["outcome"] == "completed"
    (loss,) = trial["ledger"]["losses"]
    assert (loss["cause"], loss["events"], loss["reported_by"]) == (cause, lost, by)
    assert trial["ledger"]["unaccounted"] == 0


def test_losses_that_cannot_be_are_refused(tmp_path):
    """The program says that it lost 7 events, and all came back."""
    _, _, trial = run(f"{FAULTY}:fault=loses", tmp_path, "rate_hz=2000", "duration_s=0.2",
                      "warmup_s=0")
    assert trial["outcome"] == "unchecked"
    assert "'full' 7" in trial["outcome_detail"]


@pytest.mark.parametrize("wrong, sentence", [
    ("", "'name' is missing"),
    ("name = 3", "name is not a text"),
    ('name = "x"\nnames = 1', "unknown key 'names'"),
    ('name = "x y"', "has other characters than small letters"),
    ('abilities = ["quick"]', "an ability 'quick' is not known"),
    ('read_back = "consumer"', "read_back 'consumer' is not known"),
    ('read_back = "lines"', "TAILGATE_READ_LINES without TAILGATE_TEXT_EVENTS"),
    ("command = []", "command names no program"),
    ('command = "python3"', "command is not a list"),
    ('language = ""', "language has no or over 200 bytes"),
    ('[[option]]\nname = "n"\ntype = "integer"\ndefault = "many"\nhelp = "h"', "n = 'many'"),
    ('[[option]]\nname = "n"\ntype = "whole"\ndefault = 1\nhelp = "h"', "type 'whole'"),
    ('[[option]]\nname = "n"\ntype = "integer"\ndefault = 1\nhelp = "h"\nmin = 2', "n = '1'"),
    ("name = 'x", "while parsing"),
])
def test_a_faulty_description_is_refused_with_a_sentence(wrong, sentence, tmp_path):
    keys = {"name": '"mine"', "description": '"d"', "language": '"L"', "read_back": '"nothing"',
            "command": '["true"]'}
    if not wrong:
        del keys["name"]
    for line in wrong.splitlines()[:1]:
        keys.pop(line.split(" ")[0], None)
    text = "".join(f"{name} = {value}\n" for name, value in keys.items())
    if wrong.startswith(("[", "name = 'x")):
        text = text + wrong if wrong.startswith("[") else wrong
    else:
        text = wrong + "\n" + text
    path = tmp_path / "mine.toml"
    path.write_text(text)
    done = tailgate("run", "steady", "--sink", path)
    assert done.returncode == 2, done.stderr
    assert sentence in done.stderr and str(path) in done.stderr


def test_a_program_that_is_not_there_is_not_available(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\ndescription = "d"\nlanguage = "L"\nread_back = "nothing"\n'
                    'command = ["no-such-program"]\n')
    done = tailgate("run", "steady", "--sink", path)
    assert done.returncode == 2
    assert "there is no program 'no-such-program' in PATH" in done.stderr
    done = tailgate("run", "steady", "--sink", tmp_path / "none.toml")
    assert done.returncode == 2 and "none.toml" in done.stderr


def test_a_plant_is_refused():
    done = tailgate("run", "steady", "--sink", f"{PYTHON_LOG}:plant_slower_percent=10")
    assert done.returncode == 2
    assert "a program in Python makes the calls of sink 'python_log'" in done.stderr


def test_another_build_runs_no_side_of_a_duet_with_a_program(tmp_path):
    done = tailgate("duet", "file", PYTHON_LOG, "--program-a", PROGRAM, "--out",
                    tmp_path / "duet.json")
    assert done.returncode == 2
    assert "is driven in Python, by a clock that other builds" in done.stderr


def test_a_program_takes_turns_with_one_thread(tmp_path):
    done = tailgate("duet", "file", PYTHON_LOG, "--set", "threads=2", "--out",
                    tmp_path / "duet.json")
    assert done.returncode == 2
    assert "is driven in Python, with one thread in a duet" in done.stderr


def test_more_events_than_a_program_is_told_are_refused(tmp_path):
    _, _, trial = run(PYTHON_LOG, tmp_path, "rate_hz=1e8", "duration_s=1", "warmup_s=0")
    assert trial["outcome"] == "failed"
    assert "over 16777216 events" in trial["outcome_detail"]


def test_a_copy_of_the_driver_beside_the_program_is_enough(tmp_path):
    shutil.copy(HERE / "drivers/python/tailgate_driver.py", tmp_path)
    shutil.copy(HERE / "examples/python_log.py", tmp_path)
    text = PYTHON_LOG.read_text().replace('"/usr/bin/env", "PYTHONPATH=../drivers/python", ', "")
    (tmp_path / "mine.toml").write_text(text)
    done = tailgate("run", "max", "--sink", "./mine.toml", "--set", "events=2000", "--trials", "1",
                    "--no-control", "--noise-s", "0", "--out", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_a_program_that_tailgate_did_not_start_says_so():
    done = subprocess.run(["python3", "python_log.py"], cwd=HERE / "examples", text=True,
                          env={**os.environ, "PYTHONPATH": "../drivers/python"},
                          capture_output=True, check=False)
    assert done.returncode == 1 and "TAILGATE_DRIVER is not set" in done.stderr
