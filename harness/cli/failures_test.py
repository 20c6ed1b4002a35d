"""Every command with every kind of bad input: it says what failed, and its exit code means it.

TAILGATE_BUILD names the build folder.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest

PROGRAM = Path(os.environ["TAILGATE_BUILD"]) / "tailgate"
FIXTURES = Path(__file__).resolve().parents[2] / "results/fixtures"
RESULT = FIXTURES / "v4-steady@file_mode-mmap@quick.json"
DUET = FIXTURES / "duets/v3.json"
USAGE, INCONCLUSIVE, INVALID = 2, 3, 4

# What a user names -> the command; INPUT is the bad file.
MEASURING = {
    "run a preset": ("run", "INPUT"),
    "show": ("show", "INPUT"),
    "export": ("export", "csv", "INPUT"),
    "explain": ("explain", "INPUT"),
    "plot": ("plot", "INPUT", "--out", "plots"),
    "compare": ("compare", "INPUT", "INPUT"),
    "recommend": ("recommend", "INPUT", "--rate", "10k"),
    "claims on a result": ("claims", "INPUT"),
    "duet of an earlier result": ("duet", "INPUT", "--rounds", "1"),
    "policy": ("policy", "INPUT"),
    "etl info": ("etl", "info", "INPUT"),
    "etl dump": ("etl", "dump", "INPUT"),
    "etl spans": ("etl", "spans", "INPUT"),
    "etl waits": ("etl", "waits", "INPUT"),
    "etl activities": ("etl", "activities", "INPUT"),
    "etl to-perfetto": ("etl", "to-perfetto", "INPUT", "--out", "new.json"),
    "etl memory": ("etl", "memory", "INPUT"),
    "etl stacks": ("etl", "stacks", "INPUT"),
    "etl buffers": ("etl", "buffers", "INPUT"),
    "etl anonymize": ("etl", "anonymize", "INPUT", "--out", "new.etl"),
    "etl to-sqlite": ("etl", "to-sqlite", "INPUT", "--out", "new.sqlite"),
    "etl to-pcapng": ("etl", "to-pcapng", "INPUT", "--out", "new.pcapng"),
    "etl verify": ("etl", "verify", "INPUT", "INPUT"),
    "selftest's record": ("selftest", "gate", "--show", "--record", "INPUT"),
}
VERDICTS = {
    "gate": ("gate", "INPUT"),
    "gate with a policy": ("gate", str(DUET), "--policy", "INPUT"),
    "gate with a baseline": ("gate", str(RESULT), "--baseline", "INPUT"),
    "budget": ("budget", "INPUT", "--budget", "file: lost = 0"),
    "budget of a file of budgets": ("budget", str(RESULT), "--budgets", "INPUT"),
    "run with a file of budgets": ("run", "steady", "--sink", "null", "--budgets", "INPUT"),
    "duet with a policy": ("duet", "null", "--gate", "--policy", "INPUT", "--rounds", "1"),
}


def missing(folder):
    return folder / "none.json"


def unreadable(_):
    # Reading this file fails for everybody, root too.
    return Path("/proc/self/mem")


def damaged(folder):
    path = folder / "damaged.json"
    path.write_bytes(b'{"format": "tailgate-result", "version": 1e999, \xff\x00')
    return path


def cut_short(folder):
    path = folder / "cut.json"
    path.write_bytes(RESULT.read_bytes()[:5000])
    return path


def empty(folder):
    path = folder / "empty.json"
    path.touch()
    return path


def directory(folder):
    path = folder / "directory.json"
    path.mkdir()
    return path


def loop(folder):
    path = folder / "loop.json"
    path.symlink_to(path)
    return path


BAD_INPUTS = (missing, unreadable, damaged, cut_short, empty, directory, loop)


def tailgate(*arguments, cwd, **streams):
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams
    return subprocess.run([str(PROGRAM), *map(str, arguments)], text=True, errors="replace",
                          stdin=subprocess.DEVNULL, timeout=60, check=False, cwd=cwd, **streams)


def told_well(run, codes):
    assert run.returncode in codes, run.stderr
    assert "bug in tailgate" not in run.stderr and "std::" not in run.stderr
    if run.returncode in (1, USAGE):
        assert run.stderr.strip(), run.stdout


@pytest.mark.parametrize("bad", BAD_INPUTS, ids=lambda bad: bad.__name__)
@pytest.mark.parametrize("command", MEASURING.values(), ids=MEASURING)
def test_a_bad_input_is_an_error_of_the_user(tmp_path, command, bad):
    if command[0] == "policy" and bad is empty:
        pytest.skip("a policy that changes nothing is valid")
    path = bad(tmp_path)
    run = tailgate(*[path if word == "INPUT" else word for word in command], cwd=tmp_path)
    told_well(run, (1, USAGE))
    assert str(path) in run.stderr or path.name in run.stderr


@pytest.mark.parametrize("bad", BAD_INPUTS, ids=lambda bad: bad.__name__)
@pytest.mark.parametrize("command", VERDICTS.values(), ids=VERDICTS)
def test_a_bad_input_is_never_a_fail(tmp_path, command, bad):
    path = bad(tmp_path)
    run = tailgate(*[path if word == "INPUT" else word for word in command], cwd=tmp_path)
    told_well(run, (USAGE, INCONCLUSIVE, INVALID))


@pytest.mark.parametrize("command", [("show",), ("policy",), ("etl", "info")], ids=" ".join)
def test_a_file_without_an_end_is_an_error_of_the_user(tmp_path, command):
    run = tailgate(*command, "/dev/full", cwd=tmp_path)  # reads as zeros
    told_well(run, (1, USAGE))
    assert "/dev/full" in run.stderr


@pytest.mark.parametrize("option", ["--json", "--junit", "--markdown", "--text", "--plots"])
@pytest.mark.parametrize("place", ["none/v", "file/v", "/proc/none/v"])
def test_a_verdict_that_cannot_be_written_is_never_a_fail(tmp_path, option, place):
    (tmp_path / "file").touch()
    run = tailgate("gate", DUET, option, place, cwd=tmp_path)
    # A folder for plots is made; the four rounds of the fixture decide nothing.
    told_well(run, (USAGE, INCONCLUSIVE, INVALID))


@pytest.mark.parametrize("command", [
    ("run", "steady", "--sink", "null", "--set", "duration_s=0.05", "--trials", "1", "--out"),
    ("duet", "null", "--rounds", "1", "--turns", "2", "--out"),
    ("export", "csv", str(RESULT), "--out"), ("export", "text", str(DUET), "--out")],
    ids=lambda command: command[0])
@pytest.mark.parametrize("place", ["file/x", "/proc/none/x", "/dev/full"])
def test_a_place_that_cannot_be_written_is_named(tmp_path, command, place):
    (tmp_path / "file").touch()
    run = tailgate(*command, place, "--scratch", tmp_path, cwd=tmp_path) \
        if command[0] in ("run", "duet") else tailgate(*command, place, cwd=tmp_path)
    told_well(run, (1, USAGE))
    assert place.split("/x")[0] in run.stderr


def test_output_that_cannot_be_written_is_a_failure(tmp_path):
    for command in (("show", RESULT), ("export", "csv", RESULT), ("export", "hlog", RESULT),
                    ("sinks",), ("scenarios",), ("policy",)):
        with open("/dev/full", "w", encoding="ascii") as full:
            run = tailgate(*command, cwd=tmp_path, stdout=full)
        assert run.returncode == 1, command
        told_well(run, (1,))


def test_a_verdict_stands_where_its_table_cannot_be_written(tmp_path):
    verdict = tailgate("gate", DUET, cwd=tmp_path).returncode
    with open("/dev/full", "w", encoding="ascii") as full:
        run = tailgate("gate", DUET, "--json", "v.json", cwd=tmp_path, stdout=full)
    assert run.returncode == verdict
    assert "standard output" in run.stderr
    assert json.loads((tmp_path / "v.json").read_text())


def test_a_program_without_standard_streams_still_measures(tmp_path):
    command = [PROGRAM, "run", "steady", "--sink", "null,file", "--set", "duration_s=0.05",
               "--trials", "1", "--out", "out", "--scratch", tmp_path]
    run = subprocess.run(["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *map(str, command)],
                         timeout=60, check=False, cwd=tmp_path)
    assert run.returncode == 1, "its table could not be printed"
    results = [json.loads(path.read_text()) for path in (tmp_path / "out").glob("*.json")]
    assert len(results) == 2
    for result in results:
        assert [trial["outcome"] for trial in result["trials"]] == ["completed"]


@pytest.mark.parametrize("how", ["full", "closed"])
def test_messages_that_nobody_can_read_end_nothing(tmp_path, how):
    command = [PROGRAM, "run", "steady", "--sink", "null,file", "--set", "duration_s=0.05",
               "--trials", "1", "--out", "out", "--scratch", tmp_path]
    redirect = "2>/dev/full" if how == "full" else "2>&-"
    run = subprocess.run(["sh", "-c", f'"$@" {redirect}', "sh", *map(str, command)], text=True,
                         stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False,
                         cwd=tmp_path)
    assert run.returncode == 0
    assert len(list((tmp_path / "out").glob("*.json"))) == 2
    # An error has its exit code, too.
    run = subprocess.run(["sh", "-c", f'"$@" {redirect}', "sh", str(PROGRAM), "show", "none"],
                         stdin=subprocess.DEVNULL, timeout=60, check=False, cwd=tmp_path)
    assert run.returncode in (1, USAGE)
