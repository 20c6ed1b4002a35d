"""`run --resume`: a soak that was killed goes on from its last checkpoint.

TAILGATE_BUILD names the build folder.
"""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

PROGRAM = Path(os.environ["TAILGATE_BUILD"]) / "tailgate"
SOAK = ("run", "soak", "--sink", "file", "--set", "duration_s=3", "--set", "checkpoint_s=0.3",
        "--quiet")


def tailgate(*arguments):
    return subprocess.run([str(PROGRAM), *map(str, arguments)], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=100, check=False)


def result_in(folder):
    (file,) = folder.glob("*.json")
    return json.loads(file.read_text())


def kill_after_a_checkpoint(arguments, out):
    """Starts the soak, and kills it once its result has a trial."""
    with subprocess.Popen([str(PROGRAM), *map(str, arguments)], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as soak:
        end = time.monotonic() + 60
        while not (list(out.glob("*.json")) and result_in(out)["trials"]):
            assert soak.poll() is None and time.monotonic() < end
            time.sleep(0.02)
        soak.send_signal(signal.SIGKILL)


def test_a_killed_soak_goes_on_and_says_where_the_gap_is(tmp_path):
    out = tmp_path / "out"
    again = (*SOAK, "--out", out, "--scratch", tmp_path)
    kill_after_a_checkpoint(again, out)
    first = result_in(out)
    assert not first["complete"] and first["trials"][0]["outcome"] == "interrupted"
    assert first["trials"][0]["measured"] > 0
    assert tailgate(*again).returncode == 2  # the file is there

    resumed = tailgate(*again, "--resume")
    assert resumed.returncode == 0, resumed.stderr
    second = result_in(out)
    assert second["complete"] and second["id"] == first["id"]
    assert [trial["outcome"] for trial in second["trials"]] == ["interrupted", "completed"]
    assert second["trials"][0]["measured"] == first["trials"][0]["measured"]
    [gap] = second["resumed"]
    assert gap["trial"] == 1 and gap["stopped_utc"] == first["finished_utc"]
    assert "It was interrupted and resumed" in second["answer"]["sentence"]

    nothing = tailgate(*again, "--resume")
    assert nothing.returncode == 2 and "nothing to resume" in nothing.stderr


def test_other_scenarios_cannot_be_resumed(tmp_path):
    steady = ("run", "steady", "--sink", "null", "--set", "duration_s=0.05", "--trials", "1",
              "--no-control", "--quiet", "--out", tmp_path / "out", "--scratch", tmp_path)
    assert tailgate(*steady).returncode == 0
    refused = tailgate(*steady, "--resume")
    assert refused.returncode == 2 and "cannot be resumed" in refused.stderr
