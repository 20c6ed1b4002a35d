"""tailgate gate --from on what the real tools print here. The tests compute the figures from the
tools' files themselves."""

import json
import os
import shutil
import statistics
import subprocess
from pathlib import Path

import pytest

BUILD = Path(os.environ["TAILGATE_BUILD"])
TAILGATE = BUILD / "tailgate"
BENCH = BUILD / "harness/stats/tailgate_stats_bench"
PROCESSES = 8
PLANTED = 10_000  # times: no machine is so noisy that it hides this


def needed(tool):
    return pytest.mark.skipif(shutil.which(str(tool)) is None,
                              reason=f"{Path(tool).name} is not there; run ci/setup test")


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=True).stdout


def gate(folder, *arguments):
    """The exit code, and the verdict as its JSON says it."""
    done = subprocess.run([TAILGATE, "gate", *arguments, "--json", "v.json"], cwd=folder,
                          capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode in (0, 1, 3, 4), done.stdout + done.stderr
    verdict = json.loads((folder / "v.json").read_text())[0]
    return done.returncode, verdict


def figure(verdict, name):
    return next(metric for metric in verdict["metrics"] if metric["name"] == name)


@needed("hyperfine")
def test_hyperfine(tmp_path):
    output_of("hyperfine", "-N", "--runs", str(PROCESSES), "--export-json", tmp_path / "a.json",
              "true")
    document = json.loads((tmp_path / "a.json").read_text())
    times = document["results"][0]["times"]
    document["results"][0]["times"] = [time * PLANTED for time in times]
    (tmp_path / "b.json").write_text(json.dumps(document))
    code, verdict = gate(tmp_path, "--from", "hyperfine", "a.json", "b.json")
    assert code == 1 and verdict["outcome"] == "fail"
    assert figure(verdict, "time")["median_a"] == pytest.approx(statistics.median(times) * 1e9)
    assert gate(tmp_path, "--from", "hyperfine", "a.json", "a.json")[0] in (0, 3)


@needed(BENCH)
def test_google_benchmark(tmp_path):
    files = []
    for i in range(PROCESSES):
        files.append(f"a{i}.json")
        (tmp_path / files[-1]).write_text(
            output_of(BENCH, "--benchmark_format=json", "--benchmark_min_time=0.001",
                      "--benchmark_repetitions=2"))
    documents = [json.loads((tmp_path / name).read_text()) for name in files]
    runs = [[entry for entry in document["benchmarks"] if entry["run_type"] == "iteration"]
            for document in documents]
    name = runs[0][0]["run_name"]
    unit = {"ns": 1, "us": 1e3, "ms": 1e6}[runs[0][0]["time_unit"]]
    medians = [statistics.median(entry["cpu_time"] for entry in process
                                 if entry["run_name"] == name) for process in runs]
    planted = []
    for i, document in enumerate(documents):
        for entry in document["benchmarks"]:
            entry["cpu_time"] *= PLANTED
        planted.append(f"b{i}.json")
        (tmp_path / planted[-1]).write_text(json.dumps(document))
    code, verdict = gate(tmp_path, "--from", "gbench", "--a", *files, "--b", *planted)
    assert code == 1
    judged = figure(verdict, f"{name} cpu_time")
    assert judged["decision"] == "fail"
    assert judged["median_a"] == pytest.approx(statistics.median(medians) * unit)
    # All processes in one file are the same as one file each.
    (tmp_path / "all.json").write_text("".join((tmp_path / name).read_text() for name in files))
    again = gate(tmp_path, "--from", "gbench", "--a", "all.json", "--b", *planted)[1]
    assert figure(again, f"{name} cpu_time") == judged
    # The repetitions of one process are no repetitions.
    code, verdict = gate(tmp_path, "--from", "gbench", "a0.json", "b0.json")
    assert code == 4
    assert "side A is one process: its 2 repetitions" in verdict["reasons"][0]["what"]
    assert "duet --command" in verdict["reasons"][0]["remedy"]


@needed("fio")
def test_fio(tmp_path):
    (tmp_path / "data").write_bytes(bytes(1 << 20))
    for i in range(PROCESSES):
        output_of("fio", "--name=job", "--rw=randread", "--bs=4k", "--ioengine=psync",
                  "--number_ios=50", "--size=1m", f"--filename={tmp_path}/data",
                  "--output-format=json+", f"--output={tmp_path}/a{i}.json")
    text = [(tmp_path / f"a{i}.json").read_text() for i in range(PROCESSES)]
    documents = [json.loads(one[one.index("{"):]) for one in text]
    means = [document["jobs"][0]["read"]["clat_ns"]["mean"] for document in documents]
    for i, document in enumerate(documents):
        document["jobs"][0]["read"]["clat_ns"]["mean"] *= PLANTED
        (tmp_path / f"b{i}.json").write_text(json.dumps(document))
    sides = {side: [f"{side}{i}.json" for i in range(PROCESSES)] for side in "ab"}
    code, verdict = gate(tmp_path, "--from", "fio", "--a", *sides["a"], "--b", *sides["b"])
    assert code == 1
    judged = figure(verdict, "job read clat_ns_mean")
    assert judged["decision"] == "fail"
    assert judged["median_a"] == pytest.approx(statistics.median(means))
    assert figure(verdict, "job read clat_ns_p99")["decision"] != "fail"


@needed("hyperfine")
def test_a_tool_inside_of_a_duet(tmp_path):
    command = "hyperfine -N --runs 2 --export-json {out} true"
    done = subprocess.run([TAILGATE, "duet", "--command", command, "--from", "hyperfine",
                           "--rounds", "2", "--out", "d.json"], cwd=tmp_path, capture_output=True,
                          text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rounds = json.loads((tmp_path / "d.json").read_text())["rounds"]
    assert all(one[side]["figures"][0]["name"] == "time" for one in rounds for side in "ab")


def test_too_few_repetitions_say_how_many(tmp_path):
    (tmp_path / "a").write_text("1\n2\n3\n")
    code, verdict = gate(tmp_path, "--from", "numbers", "a", "a")
    assert code == 3
    assert verdict["rounds_needed"] == 7
    assert "3 repetitions of a side are too few" in verdict["reasons"][0]["what"]


@pytest.mark.parametrize("arguments, message", [
    (("--from", "numbers", "a"), "--from needs the files of two sides"),
    (("--from", "numbers", "--a", "a"), "--from needs the files of two sides"),
    (("--from", "numbers", "a", "a", "--margin", "-3%"), "--margin '-3%' is no share above 0"),
    (("--from", "numbers", "a", "a", "--margin", "5%%"), "--margin '5%%' is no share above 0"),
    (("--from", "numbers", "a", "a", "--metric", "time"), "no figure of side A has the metric"),
    (("--from", "numbers", "a", "a", "--waive", "4f2a9c1"), "--from judges files of another"),
    (("--a", "a", "--b", "a"), "--a and --b need --from"),
    (("--from", "numbers", "a", "b"), "cannot read 'b'"),
    (("--from", "gbench", "a", "a"), "no figure found"),
])
def test_what_does_not_fit_is_refused(tmp_path, arguments, message):
    (tmp_path / "a").write_text("1\n2\n3\n")
    done = subprocess.run([TAILGATE, "gate", *arguments], cwd=tmp_path, capture_output=True,
                          text=True, timeout=100, check=False)
    assert done.returncode == 2, done.stdout + done.stderr
    assert message in done.stderr


def test_names_of_others_control_no_terminal(tmp_path):
    name = "x\u001b[31m\u202e\n"
    text = "".join(json.dumps({"benchmarks": [{"name": name, "real_time": 1 + i}]}) + "\n"
                   for i in range(8))
    (tmp_path / "a").write_text(text)
    done = subprocess.run([TAILGATE, "gate", "--from", "gbench", "a", "a"], cwd=tmp_path,
                          capture_output=True, text=True, timeout=100, check=False)
    assert "real_time" in done.stdout
    assert not {"\u001b", "\u202e"} & set(done.stdout)
    (tmp_path / "print").write_text(text.splitlines()[0])
    done = subprocess.run([TAILGATE, "duet", "--command", "cat print", "--from", "gbench",
                           "--rounds", "2"], cwd=tmp_path, capture_output=True, text=True,
                          timeout=100, check=False)
    assert "real_time" in done.stdout
    assert not {"\u001b", "\u202e"} & set(done.stdout)
