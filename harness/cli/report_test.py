"""The page of tailgate report: made by the program, and opened in headless Chromium.

TAILGATE_BUILD names the build folder.
"""
import base64
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

PROGRAM = Path(os.environ["TAILGATE_BUILD"]) / "tailgate"
DUET = Path(__file__).resolve().parents[2] / "results/fixtures/duets/v3.json"
CHROMIUM = shutil.which("chromium")
# Uses the page as a reader would, and leaves what it saw in the title.
USE_PAGE = """<script>
const part = document.querySelector("#figures .table");
const sinks = () => [...part.querySelectorAll("tbody tr")].filter((row) => !row.hidden)
  .map((row) => row.cells[0].textContent);
const seen = {written: sinks()};
const heads = [...part.querySelectorAll("th button")];
const p50 = heads.find((head) => head.textContent === "p50");
p50.click();
const numbers = () => [...part.querySelectorAll("tbody tr")].map(
  (row) => +row.cells[4].dataset.number);
seen.ascending = numbers();
seen.sorted = p50.parentElement.getAttribute("aria-sort");
p50.click();
seen.descending = numbers();
const search = part.querySelector("input[type=search]");
search.value = "NULL 2k";
search.dispatchEvent(new Event("input"));
seen.filtered = sinks();
seen.broken = [...document.images].filter((image) => !image.naturalWidth).length;
seen.wide = document.documentElement.scrollWidth > innerWidth;
seen.savable = [...document.querySelectorAll("figcaption a[download]")].filter(
  (link) => !link.hidden && link.href.startsWith("data:image/svg")).length;
seen.images = document.images.length;
seen.links = [...document.querySelectorAll("nav a")].every(
  (link) => document.querySelector(link.hash));
document.title = JSON.stringify(seen);
</script>"""


def tailgate(*arguments, **options):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                          timeout=120, check=False, **options)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Runs of two sinks, at two rates each."""
    made = tmp_path_factory.mktemp("runs")
    done = tailgate("run", "sweep", "--sink", "null", "--sink", "synthetic", "--set",
                    "rates_hz=1000,2000", "--set", "duration_s=0.2", "--set", "warmup_s=0.1",
                    "--trials", 1, "--no-control", "--noise-s", 0, "--out", made)
    assert done.returncode == 0, done.stderr
    done = tailgate("report", made)
    assert done.returncode == 0 and done.stdout == f"{made}/report.html\n", done.stderr
    return made


def open_page(page, tmp_path, width):
    """What Chromium makes of the page, and what its console says."""
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
               f"--user-data-dir={tmp_path}/user", f"--window-size={width},1200",
               "--virtual-time-budget=5000", "--dump-dom"]
    done = subprocess.run([CHROMIUM, *options, page.as_uri()], capture_output=True, text=True,
                          timeout=100, check=True)
    console = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]
    return done.stdout, console


def test_the_page_begins_with_the_answer_of_the_terminal(folder):
    page = (folder / "report.html").read_text()
    answer = tailgate("export", "answer", *sorted(folder.glob("*.json"))).stdout
    first = re.search("<h1>(.*?)</h1>", page).group(1)
    assert " ".join(answer.split()).startswith(first) and len(first) > 20


def test_the_table_that_is_saved_is_the_csv_of_the_runs(folder):
    page = (folder / "report.html").read_text()
    saved = re.search(r'download="results.csv" href="data:text/csv;charset=utf-8;base64,([^"]*)"',
                      page).group(1)
    files = sorted(folder.glob("*.json"))
    lines = base64.b64decode(saved).decode().splitlines()
    expected = tailgate("export", "csv", *files).stdout.splitlines()
    assert sorted(lines) == sorted(expected)


@pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's package chromium")
@pytest.mark.parametrize("width", [500, 1200, 2400])
def test_the_page_sorts_and_filters_without_an_error(folder, tmp_path, width):
    page = tmp_path / "page.html"
    page.write_text((folder / "report.html").read_text().replace("</body>", USE_PAGE + "</body>"))
    shown, console = open_page(page, tmp_path, width)
    assert not console
    seen = json.loads(re.search("<title>(.*?)</title>", shown, re.S).group(1).replace("&gt;", ">"))
    assert seen["ascending"] == sorted(seen["ascending"]) and seen["sorted"] == "ascending"
    assert seen["descending"] == sorted(seen["descending"], reverse=True)
    assert len(seen["written"]) == 4 and seen["filtered"] == ["null"]
    assert seen["broken"] == 0 and seen["links"] and seen["savable"] == seen["images"] > 0
    assert not seen["wide"]  # a wide table scrolls, the page does not


def test_a_folder_that_holds_nothing_leaves_no_page(tmp_path):
    done = tailgate("report", tmp_path, "--out", tmp_path / "page.html")
    assert done.returncode == 2
    assert "no result and no verdict in this folder" in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_page_that_cannot_be_written_says_so(folder):
    done = tailgate("report", folder, "--out", "/proc/none/page.html")
    assert done.returncode == 2
    assert "/proc/none" in done.stderr and "--out" in done.stderr


def test_the_nights_of_a_finding_are_drawn(folder, tmp_path):
    (tmp_path / "nights").mkdir()
    duet = json.loads(DUET.read_text())
    for night in range(14):  # in the last four side B uses twice the processor time
        duet["id"] = f"night {night}"
        duet["started_utc"] = duet["finished_utc"] = f"2026-11-{night + 1:02}T22:00:00Z"
        for one in duet["rounds"]:
            one["a"]["cpu_ns"] = 1_000_000_000
            one["b"]["cpu_ns"] = 1_000_000_000 * (2 if night >= 10 else 1)
            one["a"]["spun_ns"] = one["b"]["spun_ns"] = 0
        (tmp_path / f"nights/{night}.json").write_text(json.dumps(duet))
    history = tmp_path / "history.sqlite"
    done = tailgate("history", "import", tmp_path / "nights", "--history", history)
    if "SQLite" in done.stderr:
        pytest.skip("this build has no SQLite (Debian: libsqlite3-dev)")
    done = tailgate("report", folder, "--history", history, "--out", tmp_path / "page.html")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "page.html").read_text()
    assert "file, steady: cpu_ns_per_event got worse by +100 %" in page
    assert 'download="nights-1.svg"' in page


def test_a_history_that_is_not_there_says_so(folder, tmp_path):
    done = tailgate("report", folder, "--history", tmp_path / "none", "--out", tmp_path / "page")
    assert done.returncode == 2
    assert "there is no history" in done.stderr and not (tmp_path / "page").exists()
