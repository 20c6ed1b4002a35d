"""What a user types: the command, its exit code, and what its answer must contain.

TAILGATE_BUILD names the build folder.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

PROGRAM = Path(os.environ["TAILGATE_BUILD"]) / "tailgate"
FIXTURES = Path(__file__).resolve().parents[2] / "results/fixtures"
RESULT = "v1-steady@file_mode-mmap@quick.json"

# command, exit code, what it answers
INPUTS = [
    ("", 2, "Usage: tailgate"),
    ("rnu", 2, "did you mean 'run'?"),
    ("etl", 2, "etl info trace.etl"),
    ("etl dmup", 2, "did you mean 'dump'?"),
    ("--help", 0, "Examples:"),
    ("run stedy", 2, "did you mean 'steady'?"),
    ("run steady --snk null", 2, "did you mean '--sink'?"),
    ("run steady --sink flie", 2, "did you mean 'file'?"),
    ("duet flie file", 2, "did you mean 'file'?"),
    ("sinks flie", 2, "did you mean 'file'?"),
    ("check flie", 2, "did you mean 'file'?"),
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
    ("show --json --trials results", 2, "excludes"),
    ("show --details --sort p50 results", 2, "excludes"),
    ("explain --export perfetto --calls 2 results", 2, "excludes"),
    ("export csv --metric service results", 2, "plays no part in the format 'csv'"),
    ("plot --kind ranking --trial 0 results", 2, "it is for over_time"),
    ("plot --help", 0, "usage: tailgate plot"),
    ("run steady --sink null --out /proc/none", 1, "may write to"),
    ("run max --sink null --set rate_hz=5", 2, "no option 'rate_hz'"),
    ("run quick --sink file --plan", 0, "steady file"),
    ("duet null --set threads=300", 2, "threads = '300'"),
    ("duet null --gate --generation-rounds 60", 2, "last look is after 50 rounds"),
    ("run steady --sink file:plant_loss_share=1 --set duration_s=0.1 --set warmup_s=0 "
     "--set trials=1 --out lost", 1, "x lost events"),
    ("show none", 2, "does not exist"),
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
    ("recommend results", 2, "--rate"),
    ("recommend --rate 20k --payload 300", 2,
     "tailgate run steady --sink SINK,SINK --set rate_hz=20000 --set payload=300"),
    ("recommend results --rate fast", 2, "20k"),
    ("recommend results --rate 1k --loss 5", 2, "0.1%"),
    ("recommend results --rate 1k --payload x", 2, "payload"),
    ("recommend results --rate 1k --survives fire", 2, "'fire' is not known"),
    ("recommend results --rate 1k", 1, "nearest: steady 10k/s"),
]


def tailgate(*arguments, cwd):
    return subprocess.run([PROGRAM, *arguments], cwd=cwd, capture_output=True, text=True,
                          timeout=100, check=False)


@pytest.fixture(name="folder")
def fixture_folder(tmp_path):
    (tmp_path / "results").mkdir()
    shutil.copy(FIXTURES / RESULT, tmp_path / "results")
    (tmp_path / "other").mkdir()
    shutil.copy(FIXTURES / RESULT, tmp_path / "other/another.json")
    return tmp_path


@pytest.mark.parametrize("command, code, answer", INPUTS, ids=[row[0] for row in INPUTS])
def test_a_command_answers_in_one_line(folder, command, code, answer):
    done = tailgate(*command.split(), cwd=folder)
    said = done.stdout + done.stderr
    assert done.returncode == code, said
    assert answer in " ".join(said.split()), said


def test_a_damaged_file_does_not_hide_the_others(folder):
    (folder / "results/cut.json").write_bytes((FIXTURES / RESULT).read_bytes()[:2000])
    done = tailgate("show", "results", cwd=folder)
    assert done.returncode == 1
    assert "left out: results/cut.json" in done.stderr and "file:mode=mmap" in done.stdout


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
    done = tailgate("run", "steady", "--sink", "null", "--set", "rate_hz=100000000", "--set",
                    "duration_s=0.2", "--set", "warmup_s=0.2", "--trials", "1", "--no-control",
                    "--quiet", "--out", "out", cwd=folder)
    assert done.returncode == 0, done.stderr
    (path,) = (folder / "out").iterdir()
    (trial,) = json.loads(path.read_text())["trials"]
    assert trial["rate_missed"] and trial["unissued"] > 0 and trial["measured"] > 0
    shown = json.loads(tailgate("show", "--json", "out", cwd=folder).stdout)
    assert shown[0]["summary"][0]["saturated"]
