"""What a user types: the command, its exit code, and what its answer must contain.

TAILGATE_BUILD names the build folder.
"""

import json
import os
import pty
import re
import shutil
import subprocess
from pathlib import Path

import pytest

CLI = Path(__file__).resolve().parent
PROGRAM = Path(os.environ["TAILGATE_BUILD"]) / "tailgate"
FIXTURES = CLI.parents[1] / "results/fixtures"
RESULT = "v1-steady@file_mode-mmap@quick.json"
# A run of a fifth of a second; what it writes is in the folder "out".
SHORT = "--set duration_s=0.1 --set warmup_s=0.1 --trials 1 --no-control --noise-s 0 --out out"

# command, exit code, what it answers. Of commands behind && the last one's count; "> FILE" has the
# shell's meaning.
INPUTS = [
    ("", 2, "Usage: tailgate"),
    ("rnu", 2, "did you mean 'run'?"),
    ("steady --sink null", 2, "did you mean 'tailgate run steady'?"),
    ("quick", 2, "did you mean 'tailgate run quick'?"),
    ("results", 2, "did you mean 'tailgate show results'?"),
    ("etl", 2, "etl info trace.etl"),
    ("history", 2, "Usage: tailgate history"),
    ("selftest", 2, "Usage: tailgate selftest"),
    ("etl dmup", 2, "did you mean 'dump'?"),
    ("etl record", 2, "no file is named"),
    ("etl record a.etl --flags process,cswich", 2, "'cswich'"),
    ("etl record a.etl --flags dpc,dpc", 2, "'dpc' is given twice"),
    ("etl record a.etl --stacks CSwich", 2, "did you mean 'CSwitch'?"),
    ("etl record a.etl --flags dpc --stacks CSwitch", 2, "add cswitch to --flags"),
    ("etl record a.etl --stacks CSwitch,SampledProfile", 1, "only Windows' kernel"),
    ("etl record a.etl --seconds -1", 2, "not in range"),
    ("etl record --list-flags", 0, "context switches"),
    ("etl record --list-flags", 0, "PerfInfo/SampledProfile"),
    ("etl record a.etl", 1, "only Windows' kernel records to an .etl file"),
    ("--help", 0, "Examples:"),
    ("run stedy", 2, "did you mean 'steady'?"),
    ("run steady --snk null", 2, "did you mean '--sink'?"),
    ("run steady --sink flie", 2, "did you mean 'file'?"),
    ("docotr", 2, "did you mean 'doctor'?"),
    ("doctor --seconds 0", 2, "not in range"),
    ("doctor --load-cpus 1023", 2, "processors this process may use"),
    ("run steady --sink null --trials -1", 2, "not in range 1 to 10000"),
    ("run steady --sink null --set rate_hz=1 --set rate_hz=2", 2, "given twice"),
    ("run steady --sink null --sink null", 2, "listed twice"),
    ("run steady --sink file:mode=mmap:mode=write", 2, "'mode' in sink"),
    ("run steady --sink null --trials 2 --set trials=3", 2, "with --trials and with --set"),
    ("run steady --sink null --pacing spin --set pacing=spin", 2, "with --pacing and with --set"),
    ("run steady --sink null --set events=5 --set duration_s=1", 2, "keep one of events and"),
    ("run steady --sink null --plan --json", 2, "play no part"),
    ("run steady --sink null --sample-hz 100", 2, "add --explain"),
    (f"run steady --sink null --set rate_hz=1e9 {SHORT}", 0, "! null (keeps nothing) 1G"),
    (f"run steady --sink null --set rate_hz=900e6 {SHORT} && show --details out", 0,
     "this is the driver's limit, not the sink's"),
    (f"run sweep --sink null --set rates_hz=1k,900M,1G {SHORT} && show --sort rate out", 0,
     "! null (keeps nothing) 900M"),
    (f"run steady --sink file --set rate_hz=10M {SHORT}", 0, "! file 10M"),
    ("run steady --sink ftrace --set payload=60000", 2, "sink 'ftrace'"),
    (f"run steady --sink file {SHORT} && run steady --sink file {SHORT}", 2, "--force"),
    (f"run first --sink file {SHORT}", 0, "out/steady@file@first"),
    ("show --json --trials results", 2, "excludes"),
    ("show --details --sort p50 results", 2, "excludes"),
    ("explain --export perfetto --calls 2 results", 2, "excludes"),
    ("export csv --metric service results", 2, "plays no part in the format 'csv'"),
    ("plot --kind ranking --trial 0 results", 2, "it is for over_time"),
    ("plot --help", 0, "usage: tailgate plot"),
    ("run steady --sink null --out /proc/none", 1, "may write to"),
    ("run max --sink null --set rate_hz=5", 2, "no option 'rate_hz'"),
    ("run max --sink null --pacing spin", 2, "plays no part in a closed loop"),
    ("run steady --sink etw", 2, "sink 'etw' is not available"),
    ("run quick --sink file --plan", 0, "steady file"),
    ("duet null --set threads=300", 2, "threads = '300'"),
    ("duet null --set duration_s=5", 2, "plays no part in a duet"),
    ("duet null --set warmup_s=1", 2, "--warmup-turns is for that"),
    ("duet null --set events=100", 2, "plays no part in a duet"),
    ("duet null --set trials=3", 2, "--rounds is for that"),
    ("duet --command true --warmup-turns 3", 2, "leave their options out"),
    ("duet --command true --gate --allow-dirty", 2, "leave their options out"),
    ("duet null --gate --generation-rounds 60", 2, "last look is after 50 rounds"),
    ("run steady --sink file:plant_loss_share=1 --set duration_s=0.1 --set warmup_s=0 "
     "--set trials=1 --out lost", 1, "x lost events"),
    *[(f"{command} > /dev/full", 1, "standard output could not be written") for command in (
        "show results", "export csv results", "compare results results", "sinks", "scenarios",
        "explain results", "policy", "recommend results --rate 10k", "doctor --seconds 0.1",
        "run steady --sink null --plan", "--help", "run --help", "--version")],
    ("show damaged", 1, "a histogram of trial 0 is damaged"),
    ("show none", 2, "does not exist"),
    ("show --sort p99.9 results", 0, "file:mode=mmap"),
    ("plot results --rate 10000 --kind percentiles --format svg && plot results --kind percentiles "
     "--format svg", 0, "percentiles-steady-quick.svg"),
    ("plot results --rate 10000 --kind percentiles --format svg", 0,
     "percentiles-steady-quick+rate_hz-10000.svg"),
    ("plot results --rate 999", 2, "--rate 999: no run has this rate; there are 10000"),
    ("plot results --nonsense", 2, "usage: tailgate plot"),
    ("selftest --help", 0, "tailgate selftest gate"),
    ("selftest gate --show --sink file", 2, "play no part"),
    ("policy --sink flie", 2, "did you mean 'file'?"),
    ("policy --scenario stedy", 2, "did you mean 'steady'?"),
    ("policy --sink file --scenario burst", 0, "policy built in"),
    ("policy --reference --sink file", 2, "excludes"),
    ("gate results --baseline results --allow-dirty", 2, "play no part"),
    ("gate --from numbers a b --nightly", 2, "leave --baseline"),
    ("run wrong.toml", 2, "wrong.toml:4:"),
    ("export csv none", 2, "does not exist"),
    ("explain none", 2, "does not exist"),
    ("explain results", 1, "--explain"),
    ("compare results", 2, "nothing to compare"),
    ("compare results other", 2, "no file of the same name"),
    ("show --sort p98 results", 2, "'p98' is not known"),
    ("budget results", 2, "--budget 'file@20k: p99 < 50us, lost = 0'"),
    ("budget results --budget file:p98<5us", 2, "did you mean 'p90'?"),
    ("budget results --budget spdlog@5k:lost=0", 4, "tailgate run steady --sink spdlog"),
    ("budget none --budget file:lost=0", 2, "does not exist"),
    ("budget results --budgets none.toml", 2, "none.toml"),
    ("run steady --sink null --budget null:p99", 2, "has no <"),
    ("run steady --sink null --budget file:lost=0", 2, "plays no part in this run of steady@null"),
    ("run steady --sink null --budget null@20k:lost=0", 2, "steady@null@10k"),
    ("run steady --sink null --budget burst@null:lost=0", 2, "steady@null@10k"),
    ("run sweep --sink null --budget null@7:lost=0", 2, "sweep@null@1k, sweep@null@3k"),
    ("budget results --budget flie:lost=0", 2, "did you mean 'file'?"),
    ("claims", 0, "tailgate run claims --out DIR"),
    ("claims results", 0, "cannot be told"),
    ("claims none", 2, "does not exist"),
    ("claims none.toml", 2, "none.toml"),
    ("claims wrong-claims.toml results", 2, "wrong-claims.toml:5: 'p98 < 5us'"),
    ("claims results --html none/page.html", 1, "create the folder"),
    ("recommend results", 2, "--rate"),
    ("recommend --rate 20k --payload 300", 2,
     "tailgate run steady --sink SINK,SINK --set rate_hz=20000 --set payload=300"),
    ("recommend results --rate fast", 2, "20k"),
    ("recommend results --rate 1k --loss 5", 2, "0.1%"),
    ("recommend results --rate 1k --payload x", 2, "payload"),
    ("recommend results --rate 1k --survives fire", 2, "'fire' is not known"),
    ("recommend results --rate 1k", 1, "nearest: steady 10k/s"),
    ("recommend results --rate 10k", 1, "None qualifies of the 1 sink"),
    ("history list --history none.sqlite", 1, "there is no history 'none.sqlite'"),
    *[(f"history import results --history nights && history {command} --sink {sink} "
       "--history nights", code, answer) for command in ("list", "list --metrics", "export csv")
      for sink, code, answer in (("flie", 2, "did you mean 'file'? known sinks: null"),
                                 ("spdlog", 0, ""), ("file:mode=mmap", 0, ""))],
    ("history import results --history nights && history query --metric response_ns_p50 "
     "--sink flie --history nights", 2, "there is no sink 'flie'"),
]

# Wherever a sink is named.
UNKNOWN_SINKS = [
    "run steady --sink flie",
    "run steady --sink null,flie",
    "run steady --sink null --sink flie --plan",
    "run flie.toml",
    "run steady --sink null --budget flie:lost=0",
    "run steady --sink null --budgets flie-budget.toml",
    "duet flie",
    "duet null flie --gate",
    "sinks flie",
    "sinks --json flie",
    "check flie",
    "policy --sink flie",
    "budget results --budget flie:lost=0",
    "budget results --budgets flie-budget.toml",
    "claims flie-claims.toml results",
    "selftest gate --sink flie",
]


def tailgate(*arguments, cwd, stdout=subprocess.PIPE):
    return subprocess.run([PROGRAM, *arguments], cwd=cwd, stdout=stdout, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, text=True, timeout=100, check=False)


def typed(line, cwd):
    """What a shell does with the line."""
    for command in line.split(" && "):
        command, _, file = command.partition(" > ")
        if file:
            with open(file, "w", encoding="ascii") as opened:
                done = tailgate(*command.split(), cwd=cwd, stdout=opened)
        else:
            done = tailgate(*command.split(), cwd=cwd)
    return done.returncode, (done.stdout or "") + done.stderr


@pytest.fixture(name="folder")
def fixture_folder(tmp_path):
    (tmp_path / "results").mkdir()
    shutil.copy(FIXTURES / RESULT, tmp_path / "results")
    (tmp_path / "other").mkdir()
    shutil.copy(FIXTURES / RESULT, tmp_path / "other/another.json")
    damaged = json.loads((FIXTURES / RESULT).read_text())
    damaged["trials"][0]["response"]["hdr"] = "HISTnonsense"
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged/result.json").write_text(json.dumps(damaged))
    (tmp_path / "flie.toml").write_text('scenario = "steady"\nsinks = ["flie"]\n')
    (tmp_path / "wrong.toml").write_text('scenario = "steady"\n[set]\nrate_hz = 1\nrate_hz = 2\n')
    claim = '[[claim]]\nclaim = "c"\nsource = "s"\nrun = { scenario = "steady", sink = "SINK" }\n'
    (tmp_path / "wrong-claims.toml").write_text(
        claim.replace("SINK", "file") + 'holds = "p98 < 5us"\n')
    (tmp_path / "flie-claims.toml").write_text(
        claim.replace("SINK", "flie") + 'holds = "lost = 0"\n')
    (tmp_path / "flie-budget.toml").write_text(
        '[[budget]]\nsink = "flie"\nbounds = ["lost = 0"]\n')
    return tmp_path


@pytest.mark.parametrize("command, code, answer", INPUTS, ids=[row[0] for row in INPUTS])
def test_a_command_answers_in_one_line(folder, command, code, answer):
    if command.startswith("plot"):
        pytest.importorskip("matplotlib")
    if command.startswith("history") and "SQLite" in typed("history list --history x", folder)[1]:
        pytest.skip("this build has no SQLite (Debian: libsqlite3-dev)")
    returned, said = typed(command, folder)
    assert returned == code, said
    assert answer in " ".join(said.split()), said


@pytest.mark.parametrize("command", UNKNOWN_SINKS)
def test_unknown_sinks_are_refused_in_the_same_words(folder, command):
    before = sorted(folder.iterdir())
    done = tailgate(*command.split(), cwd=folder)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "there is no sink 'flie'\n  did you mean 'file'? known sinks: null, " in done.stderr
    assert sorted(folder.iterdir()) == before and not done.stdout


def commands():
    """Every command, with those below it."""
    listed = re.findall(r"^  COMMAND\((\w+)\)", (CLI / "commands.h").read_text(), re.M)
    below = {"etl": ("info", "dump", "stats", "cpu", "profile", "verify"), "selftest": ("gate",),
             "history": ("import", "list", "query", "export")}
    return [[name, *more] for name in listed
            for more in ([[word] for word in below[name]] if name in below else [[]])]


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_every_usage_error_exits_with_2(folder, command):
    done = tailgate(*command, "--no-such-option", cwd=folder)
    assert done.returncode == 2 and done.stderr and not done.stdout, done


@pytest.mark.parametrize("command", [
    "run --trials 1 --trials 2", "doctor --seconds 1 --seconds 2", "policy --sink file --sink null",
    "init --build a --build b", "show results --sort p50 --sort p99",
    "recommend results --rate 1k --rate 2k", "duet null --rounds 1 --rounds 2"])
def test_an_option_that_is_given_twice_is_refused(folder, command):
    done = tailgate(*command.split(), cwd=folder)
    option = next(word for word in command.split() if word.startswith("--"))
    assert done.returncode == 2 and option in done.stderr, done.stdout + done.stderr


READING = ["show", "show --details", "show --json", "explain", "export csv",
           "export gbench --out g", "recommend --rate 10k", "plot --kind percentiles --out p"]


@pytest.mark.parametrize("command", READING)
def test_a_damaged_file_does_not_hide_the_others(folder, command):
    if command.startswith("plot"):
        pytest.importorskip("matplotlib")
    whole = (FIXTURES / RESULT).read_bytes()
    (folder / "results/cut.json").write_bytes(whole[:2000])
    done = tailgate(*command.split(), "results", cwd=folder)
    assert done.returncode == (2 if command.startswith("plot") else 1), done.stderr
    assert "left out" in done.stderr and "results/cut.json" in done.stderr
    assert "mmap" in done.stdout or "percentiles" in done.stdout


def test_a_damaged_file_does_not_hide_the_pairs_that_can_be_compared(folder):
    for name in ("results", "other"):
        shutil.copy(FIXTURES / RESULT, folder / name)
        shutil.copy(FIXTURES / RESULT, folder / name / "second.json")
    (folder / "other/second.json").write_bytes((FIXTURES / RESULT).read_bytes()[:2000])
    done = tailgate("compare", "--json", "results", "other", cwd=folder)
    assert done.returncode == 1 and "left out: other/second.json" in done.stderr
    assert len(json.loads(done.stdout)) == 1


def test_a_budget_is_not_kept_where_a_file_cannot_be_read(folder):
    budget = ("budget", "results", "--budget", "file: lost <= 1000000")
    alone = tailgate(*budget, cwd=folder).returncode
    (folder / "results/cut.json").write_bytes((FIXTURES / RESULT).read_bytes()[:2000])
    done = tailgate(*budget, cwd=folder)
    assert done.returncode == 4 and "left out: results/cut.json" in done.stderr, alone


def test_two_folders_are_compared_by_name(folder):
    shutil.copy(FIXTURES / RESULT, folder / "other")
    done = tailgate("compare", "--json", "results", "other", cwd=folder)
    (pair,) = json.loads(done.stdout)
    assert (pair["a"], pair["b"]) == (f"results/{RESULT}", f"other/{RESULT}")
    assert "another.json has no file of that name" in " ".join(
        tailgate("compare", "results", "other", cwd=folder).stdout.split())


def test_sinks_may_be_named_one_by_one_and_those_that_are_missing_are_left_out(folder):
    done = tailgate("run", "steady", "--sink", "null", "--sink", "file,etw,eventlog", "--set",
                    "duration_s=0.1", "--set", "warmup_s=0.1", "--trials", "1", "--no-control",
                    "--quiet", "--out", "out", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert {"null", "file"} <= {json.loads(path.read_text())["sink"]["label"]
                                for path in (folder / "out").iterdir()}
    alone = tailgate("run", "steady", "--sink", "lttng:output=none", "--out", "out", cwd=folder)
    assert alone.returncode == 2


def test_a_rate_beyond_everything_is_saturation(folder):
    done = tailgate("run", "steady", "--sink", "null", "--set", "rate_hz=1e9", "--set",
                    "duration_s=0.2", "--set", "warmup_s=0.2", "--trials", "1", "--no-control",
                    "--quiet", "--out", "out", cwd=folder)
    assert done.returncode == 0, done.stderr
    (path,) = (folder / "out").iterdir()
    (trial,) = json.loads(path.read_text())["trials"]
    assert trial["rate_missed"] and trial["unissued"] > 0 and trial["measured"] > 0
    shown = json.loads(tailgate("show", "--json", "out", cwd=folder).stdout)
    assert shown[0]["summary"][0]["saturated"]
    # Whatever else ran: no machine could.
    assert shown[0]["summary"][0]["saturated_by_machine"] is False
    assert re.search(r"^! null \(keeps nothing\) +1G ", done.stdout, re.M), done.stdout


def test_thirty_events_have_no_high_quantiles(folder):
    done = tailgate("run", "max", "--sink", "null", "--set", "events=30", "--set", "warmup_s=0",
                    "--trials", "1", "--no-control", "--out", "out", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^. null \(keeps nothing\) +max +\S+ +- +- +\S+ ", done.stdout,
                     re.M), done.stdout


def test_a_sweep_ends_at_the_rate_that_nothing_could_reach(folder):
    done = tailgate("run", "sweep", "--sink", "null", "--set", "rates_hz=1k,900M,1G",
                    *SHORT.split(), "--quiet", cwd=folder)
    assert done.returncode == 0, done.stderr
    (path,) = (folder / "out").iterdir()
    steps = json.loads(path.read_text())["summary"]
    assert steps[1]["saturated"] and steps[1]["achieved_rate_hz"] > 0
    assert len(steps) == 2 and steps[1]["saturated_by_machine"] is False


def test_progress_is_on_one_line_with_trial_rate_and_time_left(folder):
    here, there = pty.openpty()
    with subprocess.Popen(
            [PROGRAM, "run", "steady", "--sink", "null", "--set", "rate_hz=2000", "--set",
             "duration_s=0.4", "--set", "warmup_s=0.1", "--trials", "2", "--no-control", "--out",
             "out"], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=there) as process:
        os.close(there)
        written = b""
        while True:
            try:
                part = os.read(here, 4096)
            except OSError:  # the program has closed its end
                break
            if not part:
                break
            written += part
    os.close(here)
    assert process.returncode == 0
    progress = [line for line in re.split("[\r\n]+", written.decode()) if "trial" in line]
    assert progress and all(len(line) < 80 for line in progress)
    for number in "12":
        wanted = re.compile(rf"trial {number} of 2, 2k/s, \d+ s left: steady@null, ")
        assert any(wanted.match(line) for line in progress), progress
    assert b"\n" not in written[written.index(b"trial 1"):written.rindex(b"trial 2")]
