"""The program as a user runs it: files, exit codes, error texts, interrupts, what stays behind.

TAILGATE_BUILD names the build folder.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

PROGRAM = Path(os.environ["TAILGATE_BUILD"]) / "tailgate"


@pytest.fixture(name="scratch")
def fixture_scratch(tmp_path):
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


def tailgate(*arguments, cwd=None):
    return subprocess.run([str(PROGRAM), *map(str, arguments)], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=100, check=False, cwd=cwd)


def start(*arguments):
    return subprocess.Popen([str(PROGRAM), *map(str, arguments)], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            start_new_session=True)


def children(pid):
    """Process ids of the running children of pid."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(entry.name))
    return found


def wait_until(condition, seconds=20):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return False


def running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_one_result_file_a_run_and_a_table(tmp_path, scratch):
    out = tmp_path / "out"
    done = tailgate("run", "steady", "--sink", "null,file", "--set", "rate_hz=5000", "--set",
                    "duration_s=0.3", "--trials", 2, "--out", out, "--scratch", scratch)
    assert done.returncode == 0, done.stderr
    files = sorted(path.name for path in out.iterdir())
    assert [name.split("+")[0] for name in files] == ["steady@file", "steady@null"]
    for name in files:
        assert str(out / name) in done.stdout
        result = json.loads((out / name).read_text())
        assert result["complete"] is True
        assert [trial["outcome"] for trial in result["trials"]] == ["completed"] * 2
        assert result["scenario"]["name"] == "steady"
        assert {"name": "rate_hz", "value": "5000"} in result["scenario"]["options"]
        assert result["machine"]["fingerprint"] and result["build"]["compiler"]
        assert result["clock"]["frequency_hz"] > 0
    for line in done.stdout.splitlines():
        assert len(line) <= 80 or line.strip().startswith("/"), line
    assert list(scratch.iterdir()) == []


def test_the_load_also_runs_on_the_null_sink_once_for_all_sinks(tmp_path, scratch):
    out = tmp_path / "out"
    done = tailgate("run", "steady", "--sink", "file,file:mode=mmap", "--set", "rate_hz=5000",
                    "--set", "duration_s=0.2", "--trials", 2, "--out", out, "--scratch", scratch)
    assert done.returncode == 0, done.stderr
    first, second = (json.loads(path.read_text()) for path in sorted(out.iterdir()))
    for result in (first, second):
        assert [control["index"] for control in result["controls"]] == [0, 1]
        (step,) = result["summary"]
        assert step["controls"] == 2
        assert {"provider", "consumer", "machine", "logging"} <= {
            role["role"] for role in step["overhead"]}
    assert [control["run"] for control in first["controls"]] == [
        control["run"] for control in second["controls"]]
    assert "cost of logging per event" in tailgate("show", "--details", tmp_path / "out").stdout
    assert list(scratch.iterdir()) == []


def test_control_trials_can_be_left_out(tmp_path, scratch):
    done = tailgate("run", "steady", "--sink", "file", "--set", "duration_s=0.2", "--trials", 1,
                    "--no-control", "--out", tmp_path / "out", "--scratch", scratch)
    assert done.returncode == 0, done.stderr
    (file,) = (tmp_path / "out").iterdir()
    result = json.loads(file.read_text())
    assert result["controls"] == [] and result["summary"][0]["controls"] == 0
    assert "there were no control trials" in tailgate("show", "--details", file).stdout


def test_slow_calls_are_explained_by_trials_beside_the_others(tmp_path, scratch):
    out = tmp_path / "out"
    done = tailgate("run", "steady", "--sink", "file", "--explain", "--set", "rate_hz=5000",
                    "--set", "duration_s=0.3", "--trials", 2, "--no-control", "--out", out,
                    "--scratch", scratch)
    assert done.returncode == 0, done.stderr
    result = json.loads(next(out.iterdir()).read_text())
    assert result["explained"] is True
    assert [trial["index"] for trial in result["traced"]] == [0, 1]
    assert all("explanation" not in trial for trial in result["trials"])
    for trial in result["traced"]:
        for tail in trial["explanation"]["tails"]:
            assert sum(cause["time_ns"] for cause in tail["causes"]) == tail["time_ns"]
    assert {one["measure"] for one in result["disturbance"]} == {"service", "response"}
    explained = tailgate("explain", out)
    assert explained.returncode == 0, explained.stderr
    assert max(len(line) for line in explained.stdout.splitlines()) <= 80
    for words in "service time, p99.9 and beyond", "the trace changed", "together":
        assert words in explained.stdout


def test_json_on_standard_output(tmp_path, scratch):
    done = tailgate("run", "max", "--sink", "null", "--set", "events=1000", "--trials", 1, "--json",
                    "--quiet", "--out", tmp_path / "out", "--scratch", scratch)
    assert done.returncode == 0 and done.stderr == ""
    results = json.loads(done.stdout)
    assert len(results) == 1 and results[0]["trials"][0]["measured"] == 1000


@pytest.mark.parametrize("arguments, words", [
    (["run", "stedy", "--sink", "null"], "did you mean 'steady'"),
    (["run", "steady"], "--sink"),
    (["run", "steady", "--sink", "nul"], "did you mean 'null'"),
    (["run", "steady", "--sink", "null", "--set", "rate=5"], "did you mean 'rate_hz'"),
    (["run", "steady", "--sink", "null", "--set", "rate_hz=0"], "rate_hz = '0'"),
    (["run", "steady", "--sink", "null", "--set", "rate_hz"], "name=value"),
    (["run", "steady", "--sink", "null", "--set", "payload=5"], "payload = '5'"),
    (["run", "steady", "--sink", "file:mode=tape"], "tape"),
    (["run", "steady", "--sink", "null", "--consume", "live"], "cannot be read"),
    (["run", "steady", "--sink", "null", "--load-cpus", "9999"], "9999"),
    (["run", "sweep", "--sink", "null", "--set", "rates_hz=5,4"], "is not ascending"),
    (["run", "smoke", "--part", "99"], "'smoke' has no part 99"),
    (["duet", "null", "nil"], "nil"),
    (["duet", "null", "--set", "threads=300"], "threads = '300'"),
    (["duet", "null", "--scenario", "sweep"], "several steps"),
    (["duet", "null", "--program-b", "/bin/true"], "is not a tailgate"),
    (["scenarios", "nothing"], "nothing"),
    (["sinks", "nothing"], "nothing"),
])
def test_usage_errors_name_the_value_and_exit_with_2(tmp_path, arguments, words):
    done = tailgate(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.startswith("tailgate: ") and done.stderr.count("\n") == 2
    assert list(tmp_path.iterdir()) == [], "a refused command leaves nothing behind"


def test_a_preset_error_names_file_and_line(tmp_path):
    preset = tmp_path / "mine.toml"
    preset.write_text('scenario = "steady"\nsinks = ["null"]\n[set]\nrate_hz = -4\n')
    done = tailgate("run", preset, cwd=tmp_path)
    assert done.returncode == 2
    assert f"{preset}:4: " in done.stderr


def subcommands():
    listed = (Path(__file__).parent / "commands.h").read_text()
    return re.findall(r"\bCOMMAND\((\w+)\)", listed)


def test_help_has_examples_and_fits_the_terminal():
    assert "run" in subcommands() and "policy" in subcommands()
    for arguments in ([], *([name] for name in subcommands())):
        done = tailgate(*arguments, "--help")
        assert done.returncode == 0
        assert "Examples:" in done.stdout, arguments
        assert max(len(line) for line in done.stdout.splitlines()) <= 80, arguments
    for words in ("etl info", "etl dump", "etl stats", "etl cpu", "etl spans", "etl waits",
                  "etl activities", "etl profile", "etl to-sqlite", "etl to-pcapng",
                  "etl to-perfetto", "etl memory", "etl stacks", "etl buffers", "etl anonymize",
                  "etl verify", "selftest gate",
                  "history import", "history list", "history query", "history export"):
        done = tailgate(*words.split(), "--help")
        assert max(len(line) for line in done.stdout.splitlines()) <= 80, words
    assert "--explain[=VALUE] default|deep" in tailgate("run", "--help").stdout


def test_export_lists_the_formats_of_every_kind_of_document():
    shown = tailgate("export", "--help").stdout
    for words in ("Formats of a result:\n  answer ", "Formats of a duet:\n  text ",
                  "Written by 'tailgate compare':\n  json ",
                  "Written by 'tailgate gate':\n  annotations ",
                  "Written by 'tailgate selftest gate':\n  json ",
                  "Written by 'tailgate budget':\n  json ",
                  "Written by 'tailgate recommend':\n  json ",
                  "Written by 'tailgate claims':\n  html "):
        assert words in shown


def test_every_sink_says_whether_it_is_available():
    sinks = json.loads(tailgate("sinks", "--json").stdout)
    assert {"null", "synthetic", "file"} <= {sink["name"] for sink in sinks}
    for sink in sinks:
        assert sink["available"] or (sink["reason"] and sink["remedy"])
    listing = tailgate("sinks").stdout
    assert max(len(line) for line in listing.splitlines()) <= 80, listing


def test_a_trial_that_failed_is_recorded_and_exits_with_1(tmp_path, scratch):
    out = tmp_path / "out"
    done = tailgate("run", "steady", "--sink", "synthetic:crash_at=100", "--set", "duration_s=1",
                    "--trials", 1, "--out", out, "--scratch", scratch)
    assert done.returncode == 1
    (file,) = out.iterdir()
    (trial,) = json.loads(file.read_text())["trials"]
    assert trial["outcome"] == "crashed"
    assert "crashed" in done.stderr


def test_ctrl_c_leaves_a_valid_partial_result_and_no_process(tmp_path, scratch):
    out = tmp_path / "out"
    process = start("run", "steady", "--sink", "file", "--set", "duration_s=60", "--set",
                    "warmup_s=0", "--out", out, "--scratch", scratch)
    assert wait_until(lambda: len(children(process.pid)) == 2), "provider and consumer started"
    left = children(process.pid)
    time.sleep(1)
    os.killpg(process.pid, signal.SIGINT)  # what the terminal does
    output, errors = process.communicate(timeout=30)
    assert process.returncode == 130, errors
    assert "steady@file" in output
    (file,) = out.iterdir()
    result = json.loads(file.read_text())
    assert result["complete"] is False
    (trial,) = result["trials"]
    assert trial["outcome"] == "interrupted"
    assert trial["measured"] > 0
    assert trial["ledger"]["unaccounted"] == 0
    assert not any(running(pid) for pid in left)
    assert list(scratch.iterdir()) == []


def test_a_killed_controller_leaves_no_process_and_the_next_run_sweeps(tmp_path, scratch):
    process = start("run", "steady", "--sink", "file", "--set", "duration_s=60", "--out",
                    tmp_path / "out", "--scratch", scratch)
    assert wait_until(lambda: len(children(process.pid)) == 2)
    left = children(process.pid)
    process.kill()
    process.communicate(timeout=30)
    assert wait_until(lambda: not any(running(pid) for pid in left))
    assert len(list(scratch.iterdir())) == 1
    (file,) = (tmp_path / "out").iterdir()
    result = json.loads(file.read_text())
    assert result["complete"] is False and result["trials"] == []
    shown = tailgate("show", file)
    assert shown.returncode == 0 and "ended before its last trial" in shown.stdout
    tailgate("run", "max", "--sink", "null", "--set", "events=100", "--trials", 1, "--out",
             tmp_path / "out", "--scratch", scratch)
    assert list(scratch.iterdir()) == []


def test_the_smoke_suite_runs_every_scenario(tmp_path, scratch):
    out = tmp_path / "out"
    done = tailgate("run", "smoke", "--out", out, "--scratch", scratch)
    assert done.returncode == 0, done.stderr
    scenarios = {re.split("[@+]", path.name)[0] for path in out.iterdir()}
    listed = json.loads(tailgate("scenarios", "--json").stdout)
    assert scenarios == {entry["name"] for entry in listed if entry["kind"] == "scenario"}
    shown = tailgate("show", out)
    assert shown.returncode == 0
    assert max(len(line) for line in shown.stdout.splitlines()) <= 80


def test_a_suite_can_be_planned_and_run_part_by_part(tmp_path, scratch):
    lines = tailgate("run", "smoke", "--plan", cwd=tmp_path).stdout.splitlines()
    assert [line.split(maxsplit=2)[0] for line in lines] == [
        str(number) for number in range(1, len(lines) + 1)] and len(lines) > 3
    number, seconds, what = lines[1].split(maxsplit=2)
    assert int(seconds) >= 1 and what == "burst file"
    assert list(tmp_path.iterdir()) == [scratch], "a plan runs nothing"
    out = tmp_path / "out"
    done = tailgate("run", "smoke", "--part", number, "--out", out, "--scratch", scratch)
    assert done.returncode == 0, done.stderr
    assert [path.name for path in out.iterdir()] == ["burst@file@smoke.json"]


def test_a_long_path_of_a_sink_is_used_whole(tmp_path, scratch):
    deep = tmp_path
    while len(str(deep)) < 1500:
        deep /= "d" * 100
    deep.mkdir(parents=True)
    run = ("run", "steady", "--set", "duration_s=0.1", "--trials", 1, "--no-control", "--quiet",
           "--scratch", scratch, "--out", tmp_path / "out", "--sink", f"file:dir={deep}")
    done = tailgate(*run)
    assert done.returncode == 0, done.stderr
    (file,) = (tmp_path / "out").iterdir()
    (trial,) = json.loads(file.read_text())["trials"]
    assert trial["ledger"]["delivered"] == trial["ledger"]["emitted"] > 0
    (path,) = [setting["value"] for setting in trial["granted"] if setting["name"] == "path"]
    assert path.startswith(str(deep))


DUET_QUICK = ["--set", "rate_hz=20000", "--turn-ms", "5", "--turns", "4", "--quiet"]


def test_a_duet_writes_one_file_and_a_table(tmp_path, scratch):
    out = tmp_path / "deep" / "duet.json"
    done = tailgate("duet", "synthetic:service_ns=2000", "synthetic:service_ns=4000", *DUET_QUICK,
                    "--rounds", 2, "--seed", 7, "--out", out, "--scratch", scratch)
    assert done.returncode == 0, done.stderr
    duet = json.loads(out.read_text())
    assert duet["format"] == "tailgate-duet" and duet["complete"] and duet["seed"] == 7
    assert [set(round_["slice_order"]) for round_ in duet["rounds"]] == [{"A", "B"}] * 2
    assert duet["a"]["build"]["revision"] == duet["build"]["revision"]
    table, wrote = done.stdout.rsplit("wrote: ", 1)
    assert wrote.strip() == str(out)
    assert "service_ns_p50" in table
    assert max(len(line) for line in table.splitlines()) <= 80
    assert list(scratch.iterdir()) == []


def test_the_same_build_plays_both_sides_as_programs(tmp_path, scratch):
    done = tailgate("duet", "null", "--program-a", PROGRAM, "--program-b", PROGRAM, *DUET_QUICK,
                    "--rounds", 1, "--out", tmp_path / "duet.json", "--scratch", scratch)
    assert done.returncode == 0, done.stderr
    duet = json.loads((tmp_path / "duet.json").read_text())
    assert duet["a"]["program"] == str(PROGRAM.resolve())
    assert duet["b"]["build"] == duet["build"]


def test_a_duet_takes_sink_and_load_from_an_earlier_result(tmp_path, scratch):
    done = tailgate("run", "poisson-10k", "--sink", "file:mode=stdio", "--set", "duration_s=0.1",
                    "--trials", 1, "--no-control", "--quiet", "--out", tmp_path / "out",
                    "--scratch", scratch)
    assert done.returncode == 0, done.stderr
    earlier = next((tmp_path / "out").glob("*.json"))
    done = tailgate("duet", earlier, "null", "--slice-ms", 10, "--slices", 4, "--rounds", 1,
                    "--quiet", "--out", tmp_path / "duet.json", "--scratch", scratch)
    assert done.returncode == 0, done.stderr
    duet = json.loads((tmp_path / "duet.json").read_text())
    assert duet["a"]["sink"]["label"] == "file:mode=stdio"
    assert duet["b"]["sink"]["label"] == "null"
    assert duet["b"]["load"]["shape"] == "poisson" and duet["b"]["load"]["rate_hz"] == 10_000


def test_an_interrupted_duet_keeps_its_rounds_and_leaves_no_process(tmp_path, scratch):
    out = tmp_path / "duet.json"
    process = start("duet", "null", *DUET_QUICK, "--rounds", 1000, "--out", out, "--scratch",
                    scratch)
    assert wait_until(out.exists)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130
    duet = json.loads(out.read_text())
    assert duet["rounds"] and not duet["complete"]
    assert wait_until(lambda: not children(process.pid))
    assert list(scratch.iterdir()) == []


def test_a_program_that_was_copied_trusts_no_path_of_its_build(tmp_path):
    copy = shutil.copy(PROGRAM, tmp_path)
    environment = {name: value for name, value in os.environ.items() if name != "TAILGATE_DATA_DIR"}
    done = subprocess.run([copy, "scenarios"], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=60, cwd=tmp_path, env=environment)
    assert done.returncode == 1 and "cmake --install" in done.stderr


def test_a_kept_folder_survives_the_next_run(tmp_path, scratch):
    quick = ("--sink", "file", "--set", "duration_s=0.05", "--trials", 1, "--no-control", "--quiet",
             "--out", tmp_path / "out", "--scratch", scratch)
    kept = re.search(r"kept: (\S+)", tailgate("run", "steady", *quick, "--keep").stderr).group(1)
    events = [path for path in Path(kept).rglob("*.events") if path.stat().st_size > 0]
    assert events
    assert tailgate("run", "steady", *quick, "--force").returncode == 0
    assert all(path.exists() for path in events)


def test_a_relative_scratch_serves_daemons_that_work_elsewhere(tmp_path):
    named = [line.split()[:2] for line in tailgate("sinks").stdout.splitlines()]
    if ["syslog", "yes"] not in named:
        pytest.skip("syslog is not installed")
    done = tailgate("run", "steady", "--sink", "syslog", "--set", "duration_s=0.1", "--trials", 1,
                    "--no-control", "--out", "out", "--scratch", "here", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_terminal_that_closes_interrupts_like_the_user(tmp_path, scratch):
    process = start("run", "steady", "--sink", "null", "--set", "duration_s=30", "--out",
                    tmp_path / "out", "--scratch", scratch)
    assert wait_until(lambda: children(process.pid))
    time.sleep(0.3)
    process.send_signal(signal.SIGHUP)
    process.communicate(timeout=30)
    assert process.returncode == 130
    assert list((tmp_path / "out").glob("*.json")) and list(scratch.iterdir()) == []


def test_a_result_over_the_file_size_limit_is_an_error_with_its_remedy(tmp_path, scratch):
    done = subprocess.run(
        ["bash", "-c", 'ulimit -f 4; exec "$@"', "bash", PROGRAM, "run", "steady", "--sink", "null",
         "--set", "duration_s=0.1", "--trials", "3", "--out", tmp_path / "out", "--scratch",
         scratch],
        capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60, check=False)
    assert done.returncode == 1
    assert "ulimit -f" in done.stderr
    assert list((tmp_path / "out").iterdir()) == []


# A folder that holds this system's folders, and is no mount point itself.
CHROOT = """set -e
mount --make-rprivate /
for entry in /*; do
  if [ -L "$entry" ]; then
    cp -P "$entry" "$1/"
  elif [ -d "$entry" ]; then
    mkdir "$1$entry" && mount --rbind "$entry" "$1$entry"
  fi
done
root=$1
shift
exec chroot "$root" "$@"
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root: chroot(8)")
def test_sinks_with_daemons_run_where_the_root_is_no_mount_point(tmp_path, scratch):
    named = [line.split()[:2] for line in tailgate("sinks").stdout.splitlines()]
    sinks = [sink for sink in ("journald", "syslog", "lttng") if [sink, "yes"] in named]
    if not sinks:
        pytest.skip("none of them is installed")
    root = tmp_path / "root"
    root.mkdir()
    out = tmp_path / "out"
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", CHROOT, "sh", root, PROGRAM.resolve(), "run", "steady",
         "--sink", ",".join(sinks), "--set", "rate_hz=500", "--set", "duration_s=0.3", "--trials",
         "1", "--out", out, "--scratch", scratch],
        capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=100, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    results = [json.loads(path.read_text()) for path in sorted(out.glob("*.json"))]
    assert [result["sink"]["name"] for result in results] == sorted(sinks)
    for result in results:
        ledger = result["trials"][0]["ledger"]
        assert ledger["checked"] and ledger["unaccounted"] == 0
    # What the session mounted is gone with it.
    assert str(root) not in Path("/proc/mounts").read_text()


NOBODY = 65534


def as_nobody():
    """The command's beginning that gives up root, where the tests run as root."""
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] \
        if os.geteuid() == 0 else []


@pytest.mark.parametrize("privileged", [True, False], ids=["root", "user"])
def test_sinks_with_daemons_run_in_a_user_namespace(tmp_path, privileged):
    """A container without privileges: root there, and no more than the user outside."""
    begin = [] if privileged else as_nobody()
    begin += ["unshare", "--user", "--map-root-user"]
    place = Path("/var/tmp") / f"tailgate-test-{os.getpid()}-{privileged}"  # that nobody can reach
    place.mkdir()
    try:
        if not privileged and os.geteuid() == 0:
            os.chown(place, NOBODY, NOBODY)
        probe = subprocess.run([*begin, PROGRAM.resolve(), "--version"], check=False,
                               capture_output=True, cwd="/")
        if probe.returncode != 0:
            pytest.skip(f"not permitted here, or the build is private: {probe.stderr.decode()}")
        named = [line.split()[:2] for line in tailgate("sinks").stdout.splitlines()]
        sinks = [sink for sink in ("journald", "syslog", "lttng") if [sink, "yes"] in named]
        if not sinks:
            pytest.skip("none of them is installed")
        done = subprocess.run(
            [*begin, PROGRAM.resolve(), "run", "steady", "--sink", ",".join(sinks), "--set",
             "rate_hz=500", "--set", "duration_s=0.3", "--trials", "1", "--no-control", "--out",
             place / "out", "--scratch", place / "scratch"],
            capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=100, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        results = [json.loads(path.read_text()) for path in sorted((place / "out").iterdir())]
        assert [result["sink"]["name"] for result in results] == sorted(sinks)
        for result in results:
            ledger = result["trials"][0]["ledger"]
            assert ledger["checked"] and ledger["unaccounted"] == 0 and ledger["delivered"] > 0
        assert list((place / "scratch").iterdir()) == []
    finally:
        shutil.rmtree(place)
