"""tailgate duet --command and the gate on it, with programs that the test writes."""

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

TAILGATE = Path(os.environ["TAILGATE_BUILD"]) / "tailgate"

# Prints 100, 101, ... by the run, times what its argument says. So that every run has another
# value, and the ratio within a round is exact.
COUNTER = """#!/bin/sh
n=$(cat "$0.$2" 2>/dev/null || echo 100)
echo $((n + 1)) > "$0.$2"
echo $((n * $1))
"""


def run(*arguments, cwd):
    return subprocess.run([TAILGATE, *arguments], cwd=cwd, capture_output=True, text=True,
                          timeout=120, check=False)


@pytest.fixture(name="counter")
def make_counter(tmp_path):
    script = tmp_path / "counter"
    script.write_text(COUNTER)
    script.chmod(0o755)
    return script


def duet_of(path):
    return json.loads(path.read_text())


def test_a_planted_change_is_found_and_the_file_judged_again(tmp_path, counter):
    done = run("duet", "--command", f"{counter} 100 a", f"{counter} 110 b", "--from", "numbers",
               "--gate", "--out", "d.json", cwd=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "value changed by +10" in done.stdout
    duet = duet_of(tmp_path / "d.json")
    assert len(duet["rounds"]) == 15  # the first look decides
    assert {one["a_first"] for one in duet["rounds"]} == {True, False}
    # One run of each before the first round is not recorded.
    assert [one["a"]["figures"][0]["value"] for one in duet["rounds"]] == [
        100 * (101 + i) for i in range(15)]
    assert duet["a"]["command"] == f"{counter} 100 a"
    assert duet["machine"]["logical_cpus"] > 0
    again = run("gate", "d.json", "--json", "v.json", cwd=tmp_path)
    assert again.returncode == 1
    assert json.loads((tmp_path / "v.json").read_text())[0]["outcome"] == "fail"
    assert run("gate", "d.json", "--margin", "15%", cwd=tmp_path).returncode == 0


def test_a_program_against_itself_passes(tmp_path, counter):
    done = run("duet", "--command", f"{counter} 7 a", f"{counter} 7 b", "--from", "numbers",
               "--gate", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_without_a_format_the_times_are_the_figures(tmp_path):
    done = run("duet", "--command", "true", "--rounds", "3", "--out", "d.json", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "wall_ns" in done.stdout and "cpu_ns" in done.stdout
    rounds = duet_of(tmp_path / "d.json")["rounds"]
    assert len(rounds) == 3
    assert all(one[side]["wall_ns"] > 0 for one in rounds for side in "ab")
    judged = run("gate", "d.json", cwd=tmp_path)
    assert judged.returncode == 3
    assert "fewer than the first look needs" in judged.stdout


def test_a_file_that_the_command_writes_is_read(tmp_path):
    done = run("duet", "--command", "echo noise; echo 5 > {out}", "--from", "numbers",
               "--rounds", "2", "--out", "d.json", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert duet_of(tmp_path / "d.json")["rounds"][1]["b"]["figures"][0]["value"] == 5


def test_both_sides_run_on_one_processor(tmp_path):
    command = "sed -n 's/Cpus_allowed_list:.//p' /proc/self/status"
    done = run("duet", "--command", command, "--from", "numbers", "--rounds", "2", "--out",
               "d.json", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    duet = duet_of(tmp_path / "d.json")
    cpus = {one[side]["figures"][0]["value"] for one in duet["rounds"] for side in "ab"}
    assert cpus == {float(cpu) for cpu in duet["placement"]["load_cpus"]}


@pytest.mark.parametrize("load_cpus, count", [
    ("auto", 1), ("any", len(os.sched_getaffinity(0)))])
def test_a_program_gets_the_processors_that_the_user_names(tmp_path, load_cpus, count):
    done = run("duet", "--command", "nproc", "--from", "numbers", "--rounds", "1", "--out",
               "d.json", "--load-cpus", load_cpus, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert duet_of(tmp_path / "d.json")["rounds"][0]["a"]["figures"][0]["value"] == count


@pytest.mark.parametrize("gate, code", [((), 1), (("--gate",), 1)])
def test_a_program_that_fails_is_named_with_its_log(tmp_path, gate, code):
    done = run("duet", "--command", "true", "echo out of luck >&2; exit 9", "--out", "d.json",
               *gate, cwd=tmp_path)
    assert done.returncode == code
    assert "exit code 9" in done.stderr
    assert "d.b.log" in done.stderr
    assert (tmp_path / "d.b.log").read_text() == "out of luck\n"
    assert duet_of(tmp_path / "d.json")["complete"] is False
    assert run("gate", "d.json", cwd=tmp_path).returncode == 1


def test_an_a_that_fails_is_invalid(tmp_path):
    done = run("duet", "--command", "exit 9", "true", "--gate", cwd=tmp_path)
    assert done.returncode == 4
    assert "side A did not complete" in done.stdout


def test_output_that_cannot_be_read_is_a_failure(tmp_path):
    done = run("duet", "--command", "echo hello", "--from", "numbers", "--out", "d.json",
               cwd=tmp_path)
    assert done.returncode == 1
    assert "'hello' is no number" in done.stderr


# Spends four fifths of its time in most() and a fifth in rest(), until it is killed.
WORKER = Path(os.environ["TAILGATE_BUILD"]) / "harness/profile/tailgate_worker"
needs_worker = pytest.mark.skipif(not WORKER.exists(), reason="this build samples no functions")


def working(seconds):
    return f"timeout {seconds} {WORKER}; true"


@needs_worker
def test_the_function_that_takes_more_is_named_with_its_share(tmp_path):
    done = run("duet", "--command", working(0.1), working(0.3), "--rounds", "2", "--explain",
               "--explain-s", "4", "--out", "d.json", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    duet = duet_of(tmp_path / "d.json")
    difference = duet["difference"]
    assert difference["rounds"] >= 2, duet["remarks"]
    [total] = difference["sums"]
    assert total["measure"] == "processor_time"
    # Other programs may leave it less than all of its processor.
    assert total["difference_ns"] > 0.05e9
    assert sum(part["difference_ns"] for part in total["parts"]) == pytest.approx(
        total["difference_ns"])
    # Which part comes first is by its interval, which on a busy machine is wide.
    largest = max(total["parts"], key=lambda part: part["difference_ns"])
    assert (largest["cause"], largest["name"], largest["module"]) == (
        "function", "most", "tailgate_worker")
    assert largest["difference_ns"] / total["difference_ns"] == pytest.approx(0.8, abs=0.12)
    # The text leaves out what few rounds on a busy machine cannot tell from chance.
    assert f"why, by {difference['rounds']} traced rounds" in done.stdout
    # What the rounds that nobody sampled say of the same.
    assert total["untraced_ns"] == pytest.approx(
        sum(one["b"]["cpu_ns"] - one["a"]["cpu_ns"] for one in duet["rounds"]) / 2)


@needs_worker
def test_a_fail_says_why_unless_nothing_is_wanted(tmp_path):
    gate = ("duet", "--command", working(0.03), working(0.09), "--gate", "--metric", "cpu_ns",
            "--out", "d.json", "--force")
    done = run(*gate, "--explain-s", "1", cwd=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(r"why, by \d+ traced rounds", done.stdout)
    assert duet_of(tmp_path / "d.json")["difference"]["rounds"] >= 1
    judged = run("gate", "d.json", "--metric", "cpu_ns", cwd=tmp_path)
    assert re.search(r"why, by \d+ traced rounds", judged.stdout)
    done = run(*gate, "--explain-s", "0", cwd=tmp_path)
    assert done.returncode == 1
    assert "difference" not in duet_of(tmp_path / "d.json")


def test_a_round_that_takes_longer_than_there_is_time_is_not_sampled(tmp_path):
    done = run("duet", "--command", "sleep 0.2", "--rounds", "1", "--explain", "--explain-s", "0.1",
               "--out", "d.json", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    difference = duet_of(tmp_path / "d.json")["difference"]
    assert difference["rounds"] == 0 and difference["sums"] == []
    assert re.search(r"a round takes \d+\.\d s, and there are 0\.1: ", difference["limits"])


def test_a_program_that_never_ends_is_ended(tmp_path):
    done = run("duet", "--command", "true", "echo $$ > pid; sleep 1000", "--timeout-s", "0.5",
               "--out", "d.json", cwd=tmp_path)
    assert done.returncode == 1
    assert "not ended after 0.5 s" in done.stderr
    assert not Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}").exists()


def test_an_interrupt_ends_the_program_and_keeps_the_rounds(tmp_path):
    command = "n=$(cat n 2>/dev/null || echo 0); echo $((n+1)) > n; [ $n -lt 6 ] || " \
              "{ echo $$ > pid; sleep 1000; }"
    with subprocess.Popen([TAILGATE, "duet", "--command", command, "--out", "d.json"],
                          cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        for _ in range(600):
            if (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip():
                break
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 130
    assert len(duet_of(tmp_path / "d.json")["rounds"]) == 2
    assert not Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}").exists()


@pytest.mark.parametrize("arguments, message", [
    (("--from", "numbers", "file"), "--command"),
    (("--command", "true", "--from", "xyz"), "there is no format 'xyz'"),
    (("--command", "true", "--margin", "none"), "--margin 'none'"),
    (("--command", "true", "--scenario", "steady"), "no sinks, scenarios or turns"),
    (("--command", "true", "--hang-timeout-s", "5"), "is --timeout-s"),
])
def test_what_does_not_fit_is_refused(tmp_path, arguments, message):
    done = run("duet", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert re.search(re.escape(message), done.stdout + done.stderr)
    assert not (tmp_path / "duet.json").exists()
