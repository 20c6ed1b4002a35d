"""tailgate doctor as a user runs it: its answer, its exit code, its file, and what it sees.

TAILGATE_BUILD names the build folder.
"""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAM = Path(os.environ["TAILGATE_BUILD"]) / "tailgate"
MARKS = ("ok", "warning", "problem", "not known")
NAMES = ["system", "processors", "idle gaps", "other load", "other runs", "hypervisor", "cpu quota",
         "governor", "turbo", "clock", "memory", "swap", "scratch folder", "user", "open files",
         "locked memory", "datagram queue", "slow calls", "system calls", "sinks"]


def doctor(*arguments, cwd, prefix=()):
    seconds = () if "--seconds" in arguments else ("--seconds", "0.3")
    return subprocess.run([*prefix, str(PROGRAM), "doctor", *seconds, *map(str, arguments)],
                          cwd=cwd, capture_output=True, text=True, timeout=100, check=False)


def findings_of(path):
    return {finding["name"]: finding for finding in json.loads(path.read_text())["findings"]}


def marked(text):
    """(mark, name) of each line that begins a finding."""
    found = re.findall(rf"^({'|'.join(MARKS)}) +(\S+(?: \S+)*?)  +\S", text, re.M)
    return [(mark, name) for mark, name in found]


def test_lines_answer_exit_code_and_file_agree(tmp_path):
    done = doctor("--json", "doctor.json", "--scratch", tmp_path, cwd=tmp_path)
    written = json.loads((tmp_path / "doctor.json").read_text())
    assert (written["format"], written["version"]) == ("tailgate-doctor", 1)
    assert 0.3 <= written["watched_s"] < 20 and re.fullmatch("[0-9a-f]{16}", written["fingerprint"])
    findings = written["findings"]
    assert [finding["name"] for finding in findings] == NAMES
    assert marked(done.stdout) == [(one["mark"], one["name"]) for one in findings]
    marks = [finding["mark"] for finding in findings]
    fit = ("no" if "problem" in marks else "with reservations" if "warning" in marks else "yes")
    assert written["fit"] == fit
    assert done.stdout.splitlines()[-1].startswith(f"Fit to measure: {fit} (")
    assert done.returncode == (1 if fit == "no" else 0), done.stdout
    assert done.stderr == ""
    for line in done.stdout.splitlines():
        assert len(line) <= 80, line
    for finding in findings:
        assert set(finding) == {"name", "mark", "value", "remedy", "figures"} and finding["value"]
        assert bool(finding["remedy"]) == (finding["mark"] in ("warning", "problem")), finding
        assert all(isinstance(figure, (int, float)) for figure in finding["figures"].values())
    assert [path.name for path in tmp_path.iterdir()] == ["doctor.json"], "nothing else is left"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_figures_are_those_of_the_system(tmp_path):
    doctor("--json", "doctor.json", "--scratch", tmp_path, cwd=tmp_path)
    found = findings_of(tmp_path / "doctor.json")
    assert found["processors"]["figures"]["processors"] == len(os.sched_getaffinity(0))
    queue = Path("/proc/sys/net/unix/max_dgram_qlen")
    if queue.exists():
        assert found["datagram queue"]["figures"]["limit"] == int(queue.read_text())
    meminfo = dict(re.findall(r"^(\w+): +(\d+) kB", Path("/proc/meminfo").read_text(), re.M))
    assert found["memory"]["figures"]["available_bytes"] == pytest.approx(
        int(meminfo["MemAvailable"]) * 1024, rel=0.3)
    assert ("none" in found["swap"]["value"]) == (meminfo["SwapTotal"] == "0")
    space = os.statvfs(tmp_path)
    assert found["scratch folder"]["figures"]["free_bytes"] == pytest.approx(
        space.f_bavail * space.f_frsize, rel=0.1)
    assert found["user"]["value"].startswith("root" if os.geteuid() == 0 else "not root")
    sinks = json.loads(subprocess.run([PROGRAM, "sinks", "--json"], capture_output=True,
                                      check=True).stdout)
    here = [sink["name"] for sink in sinks if sink["available"] and sink["name"] != "null"]
    assert found["sinks"]["figures"]["available"] == len(here)


@pytest.mark.skipif(sys.platform != "linux", reason="sets limits and names of processes")
def test_a_bad_machine_is_said_to_be_bad(tmp_path):
    (tmp_path / "tg-loader").symlink_to(sys.executable)
    work = "import time\nend = time.monotonic() + 20\nwhile time.monotonic() < end: pass"
    # More than one, so that they use most of the machine whoever else is there.
    loaders = [subprocess.Popen([tmp_path / "tg-loader", "-c", work]) for _ in range(4)]
    try:
        time.sleep(0.3)
        cpu = min(os.sched_getaffinity(0))
        done = doctor("--json", "doctor.json", "--scratch", "/proc", cwd=tmp_path,
                      prefix=("taskset", "-c", str(cpu), "prlimit", "--nofile=100"))
    finally:
        for loader in loaders:
            loader.kill()
            loader.wait()
    assert done.returncode == 1, done.stdout
    found = findings_of(tmp_path / "doctor.json")
    assert found["processors"]["mark"] == "problem"
    assert found["open files"]["mark"] == "problem" and "100" in found["open files"]["value"]
    assert found["scratch folder"]["mark"] == "problem"
    assert found["other load"]["mark"] in ("warning", "problem")
    assert "tg-loader" in found["other load"]["value"]
    assert found["other runs"]["figures"]["processes"] >= 4  # by their name
    assert done.stdout.splitlines()[-1].startswith("Fit to measure: no (")


@pytest.mark.parametrize("arguments, code, words", [
    (["--seconds", "0"], 2, "not in range"),
    (["--seconds", "soon"], 2, "soon"),
    (["--cross-check", "0"], 2, "not in range"),
    (["--load-cpus", "1023"], 2, "processors this process may use"),
    (["--load-cpus", "x"], 2, "processor list 'x'"),
    (["--json", "none/doctor.json"], 1, "none"),
    (["surplus"], 2, "surplus"),
])
def test_bad_input_says_what_to_do(tmp_path, arguments, code, words):
    done = doctor(*arguments, cwd=tmp_path)
    assert done.returncode == code, done.stdout + done.stderr
    assert words in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="these programs are for Linux")
def test_a_cross_check_names_the_packages_of_programs_that_are_not_there(tmp_path):
    done = doctor("--cross-check", "1", "--json", "doctor.json", "--scratch", tmp_path,
                  cwd=tmp_path, prefix=("env", f"PATH={tmp_path}"))
    found = findings_of(tmp_path / "doctor.json")
    assert list(found) == [*NAMES, "cyclictest", "sockperf"]
    for name, package in (("cyclictest", "rt-tests"), ("sockperf", "sockperf")):
        assert found[name]["mark"] == "not known" and "not installed" in found[name]["value"]
        assert found[name]["remedy"] == f"apt-get install {package}"
    assert "to do: apt-get install rt-tests" in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["doctor.json"], "nothing else is left"


def test_a_scratch_folder_that_is_not_there_yet_is_judged_by_the_one_above(tmp_path):
    doctor("--json", "doctor.json", "--scratch", tmp_path / "a/b", cwd=tmp_path)
    assert str(tmp_path) in findings_of(tmp_path / "doctor.json")["scratch folder"]["value"]
    assert not (tmp_path / "a").exists()
