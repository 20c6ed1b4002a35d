"""The files of measuring commands: nothing overwrites another result, nothing measured is lost.

TAILGATE_BUILD names the build folder.
"""

import ctypes
import json
import os
import signal
import struct
import subprocess
import time
from pathlib import Path

import pytest

PROGRAM = Path(os.environ["TAILGATE_BUILD"]) / "tailgate"
QUICK = ("--set", "duration_s=0.05", "--trials", "1", "--no-control", "--quiet")


@pytest.fixture(name="scratch")
def fixture_scratch(tmp_path):
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


def tailgate(*arguments, **options):
    return subprocess.run([str(PROGRAM), *map(str, arguments)], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=100, check=False, **options)


def result_in(folder):
    (file,) = folder.glob("*.json")
    return file, json.loads(file.read_text())


def duet(out, scratch, *more):
    return ("duet", "null", "--set", "rate_hz=20000", "--turn-ms", "5", "--turns", "4", "--quiet",
            "--rounds", "1", "--out", out, "--scratch", scratch, *more)


def test_a_result_is_replaced_only_by_force(tmp_path, scratch):
    again = ("run", "steady", "--sink", "null", *QUICK, "--out", tmp_path / "out", "--scratch",
             scratch)
    assert tailgate(*again).returncode == 0
    file, first = result_in(tmp_path / "out")
    refused = tailgate(*again)
    assert refused.returncode == 2
    assert str(file) in refused.stderr and "--force" in refused.stderr
    assert json.loads(file.read_text()) == first
    assert tailgate(*again, "--force").returncode == 0
    assert result_in(tmp_path / "out")[1]["id"] != first["id"]


def test_a_duet_is_replaced_only_by_force(tmp_path, scratch):
    out = tmp_path / "duet.json"
    assert tailgate(*duet(out, scratch)).returncode == 0
    first = out.read_text()
    # 2 also from a command whose exit code is a verdict.
    for more in ((), ("--gate",)):
        refused = tailgate(*duet(out, scratch, *more))
        assert refused.returncode == 2 and "--force" in refused.stderr
    assert out.read_text() == first
    assert tailgate(*duet(out, scratch, "--force")).returncode == 0
    assert out.read_text() != first


def test_runs_of_a_suite_are_named_by_what_differs(tmp_path, scratch):
    suite = tmp_path / "rates.toml"
    suite.write_text("".join(f"""[[run]]
scenario = "steady"
sinks = ["null", "{sink}"]
set = {{ rate_hz = {rate}, duration_s = 0.05, trials = 1 }}
""" for rate, sink in ((1000, "file"), (2000, "synthetic"))))
    named = {"steady@file@rates.json": 1000, "steady@synthetic@rates.json": 2000,
             "steady@null@rates+rate_hz-1000.json": 1000,
             "steady@null@rates+rate_hz-2000.json": 2000}

    def rates(folder):
        return {path.name: json.loads(path.read_text())["trials"][0]["load"]["rate_hz"]
                for path in folder.iterdir()}

    run = ("run", suite, "--no-control", "--scratch", scratch, "--out")
    assert tailgate(*run, tmp_path / "whole").returncode == 0
    assert rates(tmp_path / "whole") == named
    for part in "12":  # into one folder, each by a command of its own
        assert tailgate(*run, tmp_path / "parts", "--part", part).returncode == 0
    assert rates(tmp_path / "parts") == named


def test_a_run_that_a_suite_names_twice_is_refused(tmp_path):
    suite = tmp_path / "twice.toml"
    suite.write_text('[[run]]\nscenario = "steady"\nsinks = ["file"]\n'
                     '[[run]]\nscenario = "steady"\nsinks = ["null", "file"]\n')
    done = tailgate("run", suite, cwd=tmp_path)
    assert done.returncode == 2
    assert "'steady@file' is to be run twice" in done.stderr and "'trials'" in done.stderr


def test_two_commands_at_once_never_share_a_file(tmp_path, scratch):
    command = [PROGRAM, "run", "steady", "--sink", "null", "--set", "duration_s=0.5", "--trials",
               "1", "--no-control", "--quiet", "--scratch", scratch, "--out", tmp_path / "out"]
    both = [subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True,
                             env={**os.environ, "TMPDIR": str(tmp_path)}) for _ in range(2)]
    ended = [(process, *process.communicate(timeout=100)) for process in both]
    file, result = result_in(tmp_path / "out")
    assert sorted(process.returncode for process, _, _ in ended)[0] == 0
    winners = [output for process, output, _ in ended if process.returncode == 0]
    assert len(winners) == 1 and str(file) in winners[0]
    (loser,) = [errors for process, _, errors in ended if process.returncode != 0]
    assert str(file) in loser and "exists already" in loser
    assert result["complete"]
    forget_fallback(loser)


def fallback_in(text):
    return Path(text.split("meanwhile the result is in '")[1].split("'")[0])


def forget_fallback(errors):
    if "meanwhile the result is in" in errors:
        fallback_in(errors).unlink()
        fallback_in(errors).parent.rmdir()


@pytest.mark.parametrize("again", [False, True], ids=["for good", "for a while"])
def test_what_cannot_be_written_any_more_is_kept_elsewhere(tmp_path, scratch, again):
    out = tmp_path / "out"
    with subprocess.Popen([PROGRAM, "run", "steady", "--sink", "null", "--set", "duration_s=0.3",
                           "--trials", "4", "--no-control", "--quiet", "--scratch", scratch,
                           "--out", out], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:
        name = wait_for_file(out)
        out.rename(tmp_path / "moved")
        out.touch()
        errors = ""
        while "meanwhile" not in errors:
            errors += process.stderr.readline()
        kept = fallback_in(errors)
        if again:
            out.unlink()
            (tmp_path / "moved").rename(out)
        output, more = process.communicate(timeout=60)
    place = out / name if again else kept
    result = json.loads(place.read_text())
    assert result["complete"] and len(result["trials"]) == 4
    assert str(place) in output and str(out) in errors
    assert process.returncode == (0 if again else 1)
    assert kept.exists() != again and ("written again" in more) == again
    if not again:
        forget_fallback(errors)


def wait_for_file(folder):
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        found = list(folder.glob("*.json")) if folder.exists() else []
        if found:
            return found[0].name
        time.sleep(0.02)
    raise AssertionError("no result was written")


def test_a_place_that_cannot_be_written_is_known_before_anything_runs(tmp_path, scratch):
    (tmp_path / "file").touch()
    # Either would take longer than the test may.
    for command in (("run", "steady", "--sink", "null", "--set", "duration_s=600"),
                    ("duet", "null", "--rounds", "10000")):
        done = tailgate(*command, "--out", tmp_path / "file" / "x", "--scratch", scratch)
        assert done.returncode == 1 and str(tmp_path / "file") in done.stderr
    assert list(scratch.iterdir()) == []


def die_at_rename():
    """Has the kernel kill this process in the next rename(2), where a result's temporary file is
    complete: a filter for system calls (seccomp(2)) of four instructions.
    """
    sys_rename = 82
    filter_ = b"".join(struct.pack("HBBI", *instruction) for instruction in (
        (0x20, 0, 0, 0),                  # load the call's number
        (0x15, 0, 1, sys_rename),         # if it is rename:
        (0x06, 0, 0, 0x80000000),         #   kill the process
        (0x06, 0, 0, 0x7FFF0000)))        # else allow
    code = ctypes.create_string_buffer(filter_)
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", 4, ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program):
        os._exit(3)


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the number of rename(2) is x86-64's")
def test_what_a_killed_command_left_beside_its_result_goes_with_the_next(tmp_path, scratch):
    out = tmp_path / "out"
    killed = subprocess.run([PROGRAM, "run", "steady", "--sink", "null", *QUICK, "--force", "--out",
                             out, "--scratch", scratch], capture_output=True, check=False,
                            timeout=60, preexec_fn=die_at_rename)
    assert killed.returncode == -signal.SIGSYS
    (left,) = out.iterdir()
    assert left.name.startswith(".tailgate-") and list(scratch.iterdir())
    (out / ".tailgate-other.tmp").touch()
    done = tailgate("run", "max", "--sink", "null", "--set", "events=100", "--trials", 1,
                    "--no-control", "--out", tmp_path / "elsewhere", "--scratch", scratch)
    assert done.returncode == 0
    assert [path.name for path in out.iterdir()] == [".tailgate-other.tmp"]
    assert list(scratch.iterdir()) == []
