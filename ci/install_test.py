"""Tests of an installation: the program finds what belongs to it, wherever both are.

TAILGATE_BUILD names the build folder to install from.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest

BUILD = Path(os.environ["TAILGATE_BUILD"])


@pytest.fixture(name="prefix", scope="module")
def fixture_prefix(tmp_path_factory):
    prefix = tmp_path_factory.mktemp("install") / "first"
    subprocess.run(["cmake", "--install", str(BUILD), "--prefix", str(prefix)], check=True,
                   capture_output=True)
    # Moved as a whole: nothing in it may depend on where it was put first.
    moved = prefix.with_name("moved")
    prefix.rename(moved)
    # A preset that the source tree does not have shows which of the two is read.
    presets = moved / "share/tailgate/scenarios"
    (presets / "only-here.toml").write_text(
        'description = "a preset of this installation"\nscenario = "steady"\n')
    return moved


def tailgate(prefix, *arguments, **options):
    environment = dict(os.environ, **options.pop("environment", {}))
    return subprocess.run([str(prefix / "bin/tailgate"), *arguments], capture_output=True,
                          text=True, check=False, stdin=subprocess.DEVNULL, env=environment,
                          timeout=100, **options)


def test_the_installation_is_the_program_its_plots_and_its_presets(prefix):
    assert os.access(prefix / "bin/tailgate", os.X_OK)
    assert (prefix / "share/tailgate/plots/plot.py").is_file()
    assert (prefix / "share/tailgate/results/schema.json").is_file()
    assert (prefix / "share/tailgate/scenarios/suites/quick.toml").is_file()
    assert (prefix / "share/man/man1/tailgate-run.1").is_file()
    assert (prefix / "share/bash-completion/completions/tailgate").is_file()
    assert (prefix / "share/zsh/site-functions/_tailgate").is_file()
    assert (prefix / "share/fish/vendor_completions.d/tailgate.fish").is_file()
    assert {path.name for path in (prefix / "share/tailgate/scenarios").iterdir()
            if path.is_dir()} == {"suites", "claims"}
    assert not list(prefix.rglob("*_test*")) and not list(prefix.rglob("*.cpp"))


def test_presets_are_found_from_another_folder(prefix, tmp_path):
    listing = tailgate(prefix, "scenarios", "--json", cwd=tmp_path)
    assert listing.returncode == 0, listing.stderr
    names = {entry["name"] for entry in json.loads(listing.stdout)}
    assert {"quick", "only-here"} <= names


def test_the_environment_overrides_the_installation(prefix, tmp_path):
    (tmp_path / "scenarios").mkdir()
    listing = tailgate(prefix, "scenarios", "--json", cwd=tmp_path,
                       environment={"TAILGATE_DATA_DIR": str(tmp_path)})
    assert listing.returncode == 0, listing.stderr
    assert "only-here" not in {entry["name"] for entry in json.loads(listing.stdout)}


def test_a_measurement_and_its_plots_from_another_folder(prefix, tmp_path):
    run = tailgate(prefix, "run", "steady", "--sink", "null", "--set", "rate_hz=100",
                   "--set", "duration_s=0.2", "--set", "warmup_s=0", "--trials", "1",
                   "--out", "results", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    results = list((tmp_path / "results").glob("*.json"))
    assert len(results) == 1
    plot = tailgate(prefix, "plot", "results", "--out", "plots", cwd=tmp_path,
                    environment={"MPLCONFIGDIR": str(tmp_path / "matplotlib")})
    assert plot.returncode == 0, plot.stderr
    assert list((tmp_path / "plots").glob("*.png"))
