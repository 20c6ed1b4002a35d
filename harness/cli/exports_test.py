"""What `tailgate export` writes, read by the tools for which it is written.

TAILGATE_BUILD names the build folder.
"""

import csv
import io
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

PROGRAM = Path(os.environ["TAILGATE_BUILD"]) / "tailgate"
FIXTURES = Path(__file__).resolve().parents[2] / "results" / "fixtures"
RESULT = max(FIXTURES.glob("v*.json"))
JAR = Path("/usr/share/java/hdrhistogram.jar")
# What HistogramLogProcessor prints: a line for each percentile, with the values up to it, and sums.
PERCENTILE = re.compile(r"^ +([0-9.]+) ([01][.][0-9]+) +([0-9]+)(?: |$)", re.MULTILINE)
SUMS = re.compile(r"#\[Mean += +([0-9.]+),.*\n#\[Max += +([0-9.]+), Total count += +([0-9]+)\]")


def exported(*arguments):
    done = subprocess.run([PROGRAM, "export", *arguments], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(not (shutil.which("java") and JAR.exists()),
                    reason="needs java and hdrhistogram.jar: apt-get install "
                           "default-jre-headless libhdrhistogram-java")
def test_hdrhistograms_log_processor_reads_the_interval_log_without_options():
    result = json.loads(RESULT.read_text())
    done = subprocess.run(["java", "-cp", JAR, "org.HdrHistogram.HistogramLogProcessor"],
                          input=exported("hlog", RESULT), capture_output=True, text=True,
                          timeout=60, check=False)
    assert done.returncode == 0 and "Exception" not in done.stderr, done.stderr
    total = result["summary"][0]["response"]
    # It divides by a million unless it is told otherwise, so it prints ms of values in ns.
    mean, highest, count = SUMS.search(done.stdout).groups()
    assert int(count) == total["count"]
    # Its mean is of the middles of buckets, which are a thousandth wide.
    assert float(mean) == pytest.approx(total["mean_ns"] / 1e6, rel=1e-3)
    shown = {float(share): float(value) for value, share, _ in PERCENTILE.findall(done.stdout)}
    for share, key in ((0.5, "p50_ns"), (0.9, "p90_ns"), (1.0, "max_ns")):
        assert shown[share] == pytest.approx(total[key] / 1e6, abs=6e-4), key
    assert float(highest) == shown[1.0]


def test_a_folder_of_results_is_one_table(tmp_path):
    data = json.loads(RESULT.read_text())
    for number in range(3):
        text = json.dumps(data | {"id": f"run{number}"})
        (tmp_path / f"{number}.json").write_text(text)
    rows = list(csv.DictReader(io.StringIO(exported("csv", tmp_path))))
    trials = data["trials"]
    assert [(row["run"], row["trial"]) for row in rows] == [
        (f"run{number}", str(trial["index"])) for number in range(3) for trial in trials]
    for row, trial in zip(rows, trials):
        assert row["machine"] == data["machine"]["fingerprint"]
        assert row["threads"] == str(trial["load"]["threads"])
        assert row["payload"] == trial["load"]["payload"]
        assert row["sink_options"] == ";".join(f"{one['name']}={one['value']}"
                                               for one in data["sink"]["options"])
        p99 = trial["response"]["p99_ns"] if trial["response"]["count"] else ""
        assert row["response_ns_p99"] == str(p99)


def test_google_benchmarks_times_are_of_the_clock_and_of_the_processor():
    result = json.loads(RESULT.read_text())
    document = json.loads(exported("gbench", RESULT))
    trials = [trial for trial in result["trials"] if trial["outcome"] == "completed"]
    found = [one for one in document["benchmarks"] if one["run_type"] == "iteration"
             and one["run_name"].endswith("/response/p99")]
    assert len(found) == len(trials) > 1
    for entry, trial in zip(found, trials):
        [provider] = [role["counters"] for role in trial["overhead"]["roles"]
                      if role["role"] == "provider"]
        used_ns = provider["cpu_ns"] - provider["spun_ns"]
        assert entry["real_time"] == trial["response"]["p99_ns"]
        assert entry["cpu_time"] == pytest.approx(used_ns / trial["overhead"]["events"])
