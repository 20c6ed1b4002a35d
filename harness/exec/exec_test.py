"""Programs that tailgate did not load: what is measured of them, and what is said where it cannot.

TAILGATE_BUILD names the build folder.
"""

import json
import os
import platform
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

BUILD = Path(os.environ["TAILGATE_BUILD"]).resolve()
PROGRAM = BUILD / "tailgate"
PROGRAMS = BUILD / "harness/exec"
needs_audit = pytest.mark.skipif(platform.machine() != "x86_64", reason="audit is for x86-64")


def tailgate_exec(folder, *arguments, options=("--trials", "1")):
    """Runs `tailgate exec` and returns how it ended, and the result if there is one."""
    done = subprocess.run(
        [str(PROGRAM), "exec", "--quiet", "--noise-s", "0", "--out", str(folder), *options,
         *map(str, arguments)],
        capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=100, check=False)
    files = sorted(Path(folder).glob("exec@*.json"))
    return done, json.loads(files[0].read_text(encoding="utf-8")) if files else None


def marked(*arguments):
    return "--", PROGRAMS / "tailgate_marked", *arguments


def test_marked_calls_are_counted_exactly_and_timed(tmp_path):
    done, result = tailgate_exec(tmp_path, *marked("plain", 4, 50, 2000),
                                 options=("--trials", "2", "--name", "mine"))
    assert done.returncode == 0, done.stderr
    assert [trial["outcome"] for trial in result["trials"]] == ["completed"] * 2
    for index, trial in enumerate(result["trials"]):
        program = trial["program"]
        assert (program["means"], program["threads"]) == ("mark", 4)
        assert program["calls"] == [{"name": "kind 0", "calls": 200}]
        assert trial["measured"] == trial["service"]["count"] == trial["ledger"]["emitted"] == 200
        assert trial["service"]["min_ns"] >= 1_998_000
        assert trial["response"]["p50_ns"] == trial["service"]["p50_ns"]
        assert 0 < trial["floor"]["service"]["p50_ns"] <= trial["floor"]["loop_ns"] * 2
        log = tmp_path / f"exec@mine.{index}.log"
        assert program["log"] == str(log)
        assert log.read_text(encoding="utf-8") == "marked 200 calls\n"
        assert sum(part["service"]["count"] for part in trial["intervals"]) == 200
    assert result["summary"][0]["service"]["count"] == 400
    assert "timed by mark, which adds" in done.stdout


def test_a_result_is_shown_exported_and_never_replaced_unasked(tmp_path):
    tailgate_exec(tmp_path, *marked("plain", 1, 10, 0))
    file = tmp_path / "exec@tailgate_marked.json"
    for command in (["show", str(file)], ["export", "csv", str(file)]):
        done = subprocess.run([str(PROGRAM), *command], capture_output=True, text=True,
                              timeout=100, check=False)
        assert done.returncode == 0 and done.stdout, done.stderr
    before = file.read_bytes()
    done, _ = tailgate_exec(tmp_path, *marked("plain", 1, 10, 0))
    assert done.returncode == 2 and "--force" in done.stderr
    assert file.read_bytes() == before


def test_a_due_time_makes_the_response_longer(tmp_path):
    done, result = tailgate_exec(tmp_path, *marked("late", 1, 20, 0))
    assert done.returncode == 0, done.stderr
    trial = result["trials"][0]
    assert trial["program"]["calls_with_due"] == 20
    assert trial["response"]["min_ns"] >= 49_900_000
    assert trial["service"]["min_ns"] < 49_000_000


def test_a_forked_child_is_measured_too(tmp_path):
    _, result = tailgate_exec(tmp_path, *marked("fork", 1, 100, 0))
    trial = result["trials"][0]
    assert trial["measured"] == 300
    assert trial["program"]["processes"] == 2


def test_refused_calls_are_lost(tmp_path):
    _, result = tailgate_exec(tmp_path, *marked("refuse", 1, 100, 0))
    ledger = result["trials"][0]["ledger"]
    assert (ledger["emitted"], ledger["lost"], ledger["checked"]) == (100, 50, False)
    assert ledger["losses"][0]["cause"] == "refused by the program"


def test_threads_without_room_are_said(tmp_path):
    _, result = tailgate_exec(tmp_path, *marked("plain", 70, 5, 300_000))
    trial = result["trials"][0]
    program = trial["program"]
    assert program["threads"] == 64
    assert program["threads_not_timed"] >= 1
    assert trial["measured"] + program["calls_not_timed"] == 350
    assert any("were not timed" in remark["what"] for remark in trial["remarks"])


def test_a_crash_keeps_what_was_measured(tmp_path):
    done, result = tailgate_exec(tmp_path, *marked("crash", 1, 100, 0))
    assert done.returncode == 1
    trial = result["trials"][0]
    assert trial["outcome"] == "crashed"
    assert trial["program"]["ended_by"] == f"signal {int(signal.SIGABRT)} (Aborted)"
    assert (trial["measured"], trial["ledger"]["in_flight"]) == (99, 1)
    assert f"what the program printed: {tmp_path}/exec@tailgate_marked.0.log" in done.stderr


@pytest.mark.parametrize("arguments, outcome, sentence", [
    (marked("plain", 0, 0, 0), "failed", "the program marked no call"),
    (marked("exit3", 1, 5, 0), "failed", "exit code 3"),
    (marked("overwrite", 1, 5, 0), "failed", "the program has overwritten what it had measured"),
    (("--timeout-s", "0.3", *marked("plain", 1, 5, 900_000)), "hung", "not ended after 0.3 s"),
    (("--calls", "fsync", *marked("plain", 1, 5, 0)), "failed",
     "the program made no call of fsync that could be timed by preload"),
])
def test_a_program_that_fails_is_an_outcome(tmp_path, arguments, outcome, sentence):
    done, result = tailgate_exec(tmp_path, *arguments)
    assert done.returncode == 1
    trial = result["trials"][0]
    assert trial["outcome"] == outcome
    assert trial["outcome_detail"].startswith(sentence)
    assert done.stderr.count(sentence) == 1 and "what the program printed: " in done.stderr


@pytest.mark.parametrize("arguments, sentence", [
    (("--", "./not-there"), "'./not-there' is not there"),
    (("--", "no-such-program-anywhere"), "there is no program 'no-such-program-anywhere'"),
    (("--", "/etc/passwd"), "is not a program that this user may execute"),
    (("--calls", "write,", "--", "true"), "names no function"),
    (("--daemon", "no-such-daemon", "--", "true"), "no process 'no-such-daemon' runs"),
    ((), "PROGRAM is required"),
])
def test_a_wrong_command_line_runs_nothing(tmp_path, arguments, sentence):
    done, result = tailgate_exec(tmp_path, *arguments)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert result is None


def test_wrapped_functions_of_a_program_that_knows_nothing(tmp_path):
    done, result = tailgate_exec(tmp_path, "--calls", "write,fsync", "--",
                                 PROGRAMS / "tailgate_writer", 1000)
    assert done.returncode == 0, done.stderr
    trial = result["trials"][0]
    assert trial["program"]["means"] == "preload"
    assert trial["program"]["calls"] == [{"name": "write", "calls": 1000},
                                         {"name": "fsync", "calls": 1}]
    # A call waited for the pipe's reader, the others for nobody.
    assert trial["service"]["max_ns"] >= 50_000_000
    assert trial["service"]["p50_ns"] < 50_000_000


def test_wrapped_functions_agree_with_the_kernel(tmp_path):
    """dd states how many records it wrote; each is a call of write."""
    target = tmp_path / "target"
    _, result = tailgate_exec(tmp_path / "out", "--calls", "write", "--", "dd", "if=/dev/zero",
                              f"of={target}", "bs=512", "count=321", "status=none")
    assert target.stat().st_size == 512 * 321
    assert result["trials"][0]["program"]["calls"] == [{"name": "write", "calls": 321}]


def test_a_function_that_is_never_called_is_remarked(tmp_path):
    _, result = tailgate_exec(tmp_path, "--calls", "write,sendmsg", "--",
                              PROGRAMS / "tailgate_writer", 10)
    assert any(remark["what"] == "sendmsg was never called"
               for remark in result["trials"][0]["remarks"])


@needs_audit
def test_any_function_behind_the_linkage_table(tmp_path):
    done, result = tailgate_exec(tmp_path, "--calls", "libmylog.so:mylog_write,mylog_nested", "--",
                                 PROGRAMS / "tailgate_caller", 40, 2000)
    assert done.returncode == 0, done.stderr
    trial = result["trials"][0]
    assert trial["program"]["means"] == "audit"
    assert trial["program"]["calls"] == [{"name": "libmylog.so:mylog_write", "calls": 40},
                                         {"name": "mylog_nested", "calls": 1}]
    assert trial["program"]["inner_calls"] == 1
    assert trial["service"]["p50_ns"] >= 1_998_000


@needs_audit
@pytest.mark.parametrize("calls, program, code, sentence", [
    ("libnone.so:f", "caller", 1, "it loaded no library 'libnone.so'"),
    ("libmylog.so:f", "caller", 1,
     "the program made no call of libmylog.so:f that could be timed by audit: it bound none"),
    ("hidden_write", "hidden_stripped plain 1", 1, "needs a program that is not stripped"),
    ("hidden_write", "hidden_static_stripped plain 1", 2, "is linked statically; nor can a uprobe"),
])
def test_where_a_function_cannot_be_timed(tmp_path, calls, program, code, sentence):
    name, *arguments = program.split()
    done, _ = tailgate_exec(tmp_path, "--calls", calls, "--",
                            PROGRAMS / f"tailgate_{name}", *arguments, 3, 0)
    assert done.returncode == code
    assert sentence in done.stderr


def hidden(mode, threads, calls, delay_us):
    """A program with a static function hidden_write."""
    return "--", PROGRAMS / "tailgate_hidden", mode, threads, calls, delay_us


@pytest.fixture(name="probes")
def needs_uprobes(tmp_path):
    """Returns the folder of tracefs. Skips the test where no uprobe can be placed."""
    if os.geteuid() != 0:
        pytest.skip("uprobes need root")
    done, _ = tailgate_exec(tmp_path / "first", "--calls", "hidden_write",
                            *hidden("plain", 1, 1, 0))
    if "nor can a uprobe be placed" in done.stderr:
        pytest.skip(done.stderr)
    folder = tmp_path / "tracefs"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tracefs", "none", folder], check=False).returncode != 0:
        pytest.skip("tracefs cannot be mounted here")
    yield folder
    subprocess.run(["umount", folder], check=True)


def left_in(probes):
    """Probes and instances of tailgate's own."""
    defined = (probes / "uprobe_events").read_text(encoding="utf-8")
    return [line for line in [*defined.split("\n"), *os.listdir(probes / "instances")]
            if "tailgate" in line]


def by_uprobe(folder, calls, *command, options=("--trials", "1")):
    """Runs a program whose calls are timed by uprobes, and returns its first trial."""
    done, result = tailgate_exec(folder, "--calls", calls, *command, options=options)
    assert done.returncode == 0, done.stdout + done.stderr
    trial = result["trials"][0]
    assert trial["program"]["means"] == "uprobe"
    assert 0 < trial["floor"]["service"]["p50_ns"] <= trial["floor"]["loop_ns"] * 2
    return trial


def test_a_function_that_nobody_exports(tmp_path, probes):
    trial = by_uprobe(tmp_path, "hidden_write", *hidden("plain", 2, 50, 2000))
    program = trial["program"]
    assert program["calls"] == [{"name": "hidden_write", "calls": 100}]
    assert (program["threads"], program["processes"], program["calls_not_timed"]) == (2, 1, 0)
    assert trial["service"]["min_ns"] >= 1_998_000
    assert trial["service"]["p50_ns"] < 50_000_000
    assert trial["measured"] == trial["service"]["count"] == trial["ledger"]["emitted"] == 100
    assert sum(part["service"]["count"] for part in trial["intervals"]) == 100
    assert not left_in(probes)


@pytest.mark.parametrize("calls, program", [
    ("mylog_write", "caller_now"), ("libmylog.so:mylog_write", "caller_now"),
    ("mylog_write", "caller_direct"), ("mylog_write", "caller_static")])
@pytest.mark.usefixtures("probes")
def test_functions_that_the_dynamic_linker_does_not_hand_over(tmp_path, calls, program):
    trial = by_uprobe(tmp_path, calls, "--", PROGRAMS / f"tailgate_{program}", 40, 2000)
    # Another function of its file calls it, too, unless the compiler has inlined that call.
    assert trial["program"]["calls"][0]["name"] == calls
    assert trial["program"]["calls"][0]["calls"] in (40, 41)
    assert trial["service"]["p50_ns"] >= 1_998_000


@pytest.mark.parametrize("mode, threads, calls, expected", [
    # Each is in flight until the process ends.
    ("jump", 1, 10, {"started": 10, "finished": 5, "inner": 0, "processes": 1}),
    ("fork", 1, 10, {"started": 30, "finished": 30, "inner": 0, "processes": 2}),
    ("units", 2, 10, {"started": 21, "finished": 21, "inner": 0, "processes": 1}),
])
@pytest.mark.usefixtures("probes")
def test_calls_that_end_otherwise(tmp_path, mode, threads, calls, expected):
    trial = by_uprobe(tmp_path, "hidden_write", *hidden(mode, threads, calls, 0))
    ledger = trial["ledger"]
    assert expected == {"started": ledger["emitted"] + ledger["in_flight"],
                        "finished": ledger["emitted"],
                        "inner": trial["program"]["inner_calls"],
                        "processes": trial["program"]["processes"]}


@pytest.mark.usefixtures("probes")
def test_calls_within_a_call_are_part_of_it(tmp_path):
    trial = by_uprobe(tmp_path, "hidden_outer,hidden_write", *hidden("nested", 1, 20, 2000))
    assert trial["program"]["calls"] == [{"name": "hidden_outer", "calls": 20},
                                         {"name": "hidden_write", "calls": 0}]
    assert trial["program"]["inner_calls"] == 40
    assert trial["service"]["min_ns"] >= 1_998_000


@pytest.mark.usefixtures("probes")
def test_calls_of_other_processes_do_not_count(tmp_path):
    with subprocess.Popen([str(word) for word in hidden("plain", 4, 10_000, 1000)[1:]]) as other:
        trial = by_uprobe(tmp_path, "hidden_write", *hidden("plain", 1, 50, 1000))
        assert other.poll() is None
        other.kill()
    assert (trial["measured"], trial["program"]["processes"]) == (50, 1)


@pytest.mark.usefixtures("probes")
def test_threads_without_room_for_their_probes_are_said(tmp_path):
    trial = by_uprobe(tmp_path, "hidden_write", *hidden("plain", 70, 5, 300_000))
    program = trial["program"]
    assert program["threads"] == 64 and program["threads_not_timed"] >= 1
    assert trial["measured"] + program["calls_not_timed"] == 350
    assert any("were not timed" in remark["what"] for remark in trial["remarks"])


@pytest.mark.usefixtures("probes")
def test_a_killed_program_keeps_what_was_probed(tmp_path):
    _, result = tailgate_exec(tmp_path, "--calls", "hidden_write", *hidden("killed", 1, 20, 0))
    trial = result["trials"][0]
    assert trial["outcome"] == "killed"
    assert (trial["measured"], trial["ledger"]["in_flight"]) == (19, 1)


@pytest.mark.usefixtures("probes")
def test_lines_balance_with_probed_calls(tmp_path):
    printed = tmp_path / "exec@tailgate_hidden.0.log"
    done, result = tailgate_exec(tmp_path, "--calls", "hidden_write", "--counts", printed,
                                 *hidden("lines", 1, 30, 0))
    assert done.returncode == 0, done.stderr
    ledger = result["trials"][0]["ledger"]
    assert ledger["checked"] and ledger["delivered"] == ledger["emitted"] == 30


@pytest.mark.usefixtures("probes")
def test_slow_probed_calls_are_explained(tmp_path):
    done, result = tailgate_exec(tmp_path, "--explain", "--calls", "hidden_write",
                                 *hidden("plain", 1, 100, 1000))
    assert done.returncode == 0, done.stderr
    assert "clock_nanosleep" in json.dumps(result["traced"][0]["explanation"])


def test_the_next_run_removes_what_a_killed_one_left(tmp_path, probes):
    with subprocess.Popen(
            [str(PROGRAM), "exec", "--quiet", "--noise-s", "0", "--out", str(tmp_path / "killed"),
             "--calls", "hidden_write", *map(str, hidden("wait", 1, 3, 0))],
            stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL) as run:
        # The floor's probes come first; the program waits when it has made its calls.
        log = tmp_path / "killed/exec@tailgate_hidden.0.log"
        while run.poll() is None and not (log.exists() and left_in(probes)):
            time.sleep(0.01)
        run.kill()
    assert left_in(probes)
    tailgate_exec(tmp_path / "next", "--calls", "none", "--", "true")
    assert not left_in(probes)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another user")
def test_without_root_the_sentence_says_why_neither_can(tmp_path):
    nobody = 65534
    try:
        done = subprocess.run(
            [str(PROGRAM), "exec", "--out", str(tmp_path), "--calls", "hidden_write",
             *map(str, hidden("plain", 1, 1, 0))],
            capture_output=True, text=True, check=False, cwd="/", user=nobody, group=nobody,
            extra_groups=[])
    except PermissionError:
        pytest.skip("others may not run what lies in the build folder")
    assert done.returncode == 2
    assert "does not export hidden_write; nor can a uprobe be placed: tracefs" in done.stderr
    assert "run as root (sudo)" in done.stderr


@pytest.mark.parametrize("calls, mode, code, unaccounted, outcome", [
    (100, "lines", 0, 0, "completed"),
    (100, "plain", 1, 100, "completed"),
])
def test_counted_lines_balance_the_ledger(tmp_path, calls, mode, code, unaccounted, outcome):
    counts = tmp_path / "events.log"
    counts.write_text("from before\n", encoding="utf-8")
    line = f"{PROGRAMS}/tailgate_marked {mode} 1 {calls} 0 >> {counts} 2> /dev/null"
    done, result = tailgate_exec(tmp_path / "out", "--counts", counts, "--", "sh", "-c", line)
    assert done.returncode == code
    trial = result["trials"][0]
    ledger = trial["ledger"]
    assert ledger["checked"] and ledger["emitted"] == calls
    assert ledger["delivered"] == calls - unaccounted
    assert ledger["unaccounted"] == unaccounted
    assert trial["outcome"] == outcome


def test_more_lines_than_calls_are_no_checked_ledger(tmp_path):
    counts = tmp_path / "events.log"
    line = f"{PROGRAMS}/tailgate_marked lines 1 10 0 >> {counts} 2>&1"
    done, result = tailgate_exec(tmp_path / "out", "--counts", counts, "--", "sh", "-c", line)
    assert done.returncode == 1
    trial = result["trials"][0]
    assert trial["outcome"] == "unchecked" and not trial["ledger"]["checked"]
    assert "has 11 new lines, more than the 10 calls" in trial["ledger"]["unchecked_cause"]


def test_without_timing_there_is_what_the_program_used(tmp_path):
    burn = "import time\nend = time.process_time() + 0.5\nwhile time.process_time() < end: pass"
    done, result = tailgate_exec(tmp_path, "--calls", "none", "--", sys.executable, "-c", burn)
    assert done.returncode == 0, done.stderr
    trial = result["trials"][0]
    assert trial["program"]["means"] == "none" and trial["measured"] == 0
    provider = trial["overhead"]["roles"][0]
    assert provider["role"] == "provider"
    assert provider["counters"]["cpu_ns"] >= 490_000_000
    assert "s of processor time" in done.stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="a control group needs root")
def test_processes_that_the_program_starts_count(tmp_path):
    burn = "import time\nend = time.process_time() + 0.4\nwhile time.process_time() < end: pass"
    line = f"{sys.executable} -c '{burn}'; true"
    _, result = tailgate_exec(tmp_path, "--calls", "none", "--", "sh", "-c", line)
    trial = result["trials"][0]
    if "program starts" not in trial["overhead"]["limits"]:
        assert trial["overhead"]["roles"][0]["counters"]["cpu_ns"] >= 390_000_000


def test_all_that_the_program_started_ends_with_it(tmp_path):
    note = tmp_path / "pid"
    line = f"sleep 100 & echo $! > {note}"
    tailgate_exec(tmp_path, "--calls", "none", "--", "sh", "-c", line)
    pid = int(note.read_text(encoding="utf-8"))
    assert not Path(f"/proc/{pid}").exists() or "zombie" in Path(
        f"/proc/{pid}/status").read_text(encoding="utf-8")


def duet(folder, calls, a, b, *options):
    """Runs a duet of two commands by their calls, and returns how it ended, and its file."""
    file = Path(folder) / "duet.json"
    done = subprocess.run(
        [str(PROGRAM), "duet", "--command", "--calls", calls, a, b, "--out", str(file), "--quiet",
         *options],
        capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=200, check=False)
    return done, json.loads(file.read_text(encoding="utf-8")) if file.exists() else None


def test_a_duet_by_calls_finds_a_planted_change(tmp_path):
    program = PROGRAMS / "tailgate_marked"
    done, result = duet(tmp_path, "mark", f"{program} plain 1 60 2000",
                        f"{program} plain 1 60 3000", "--gate", "--margin", "10%")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "service_p50" in done.stdout
    assert result["reads"] == "mark"
    assert "calls are timed by mark, which adds" in result["remarks"][0]["what"]
    for one in result["rounds"]:
        figures = {figure["name"]: figure for figure in one["b"]["figures"]}
        assert figures["service_p50"]["value"] >= 2_997_000
        assert figures["calls"]["value"] == 60
        assert [name for name, figure in figures.items() if figure["headline"]] == ["service_p50"]


def test_a_duet_by_calls_of_one_program_does_not_fail(tmp_path):
    line = f"{PROGRAMS}/tailgate_writer 300"
    done, result = duet(tmp_path, "write", line, line, "--rounds", "4")
    assert done.returncode == 0, done.stdout + done.stderr
    assert result["complete"] and result["reads"] == "preload:write"
    assert [len(one["a"]["figures"]) for one in result["rounds"]] == [5] * 4
    assert all(figure["value"] == 300 for one in result["rounds"] for figure in one["a"]["figures"]
               if figure["name"] == "calls")


@pytest.mark.usefixtures("probes")
def test_both_sides_of_a_duet_are_timed_by_the_same_means(tmp_path):
    lazy, now = (f"{PROGRAMS}/tailgate_{name} 20 1000" for name in ("caller", "caller_now"))
    done, result = duet(tmp_path, "mylog_write", lazy, now, "--rounds", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert result["complete"] and result["reads"] == "uprobe:mylog_write"
    for one in result["rounds"]:
        for side in ("a", "b"):
            figures = {figure["name"]: figure["value"] for figure in one[side]["figures"]}
            assert figures["calls"] in (20, 21) and figures["service_p50"] >= 998_000


def test_a_duet_by_calls_that_nobody_makes_is_no_verdict(tmp_path):
    done, result = duet(tmp_path, "fsync", "true", "true", "--gate")
    assert done.returncode == 4
    assert not result["complete"]
    run = result["rounds"][0]["a"]
    assert run["outcome"] == "failed"
    assert run["outcome_detail"].startswith("the program made no call of fsync")
    assert "duet.a.log" in run["outcome_detail"]


@pytest.mark.parametrize("calls, sentence", [("none", "--calls none times nothing"),
                                             ("a,,b", "names no function")])
def test_a_duet_refuses_calls_that_are_none(tmp_path, calls, sentence):
    done, result = duet(tmp_path, calls, "true", "true")
    assert done.returncode == 2 and sentence in done.stderr and result is None


@pytest.mark.skipif(os.geteuid() != 0, reason="the kernel's trace needs root")
def test_slow_calls_are_explained_though_the_threads_are_new(tmp_path):
    done, result = tailgate_exec(tmp_path, "--explain", *marked("plain", 2, 100, 1000))
    if "slow calls cannot be explained" in done.stderr:
        pytest.skip("no kernel trace here")
    assert done.returncode == 0, done.stderr
    assert result["explained"] and len(result["trials"]) == len(result["traced"]) == 1
    explanation = result["traced"][0]["explanation"]
    assert explanation["trace"]["method"] == "kernel_trace"
    assert "blocked_sleep" in json.dumps(explanation)
    assert "clock_nanosleep" in json.dumps(explanation)
    # It sleeps most of the time, so there may be no sample.
    assert explanation["profile"]["method"].startswith("cpu_"), explanation["profile"]["limits"]
