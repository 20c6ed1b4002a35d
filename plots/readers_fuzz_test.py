"""A sample of the fuzz target of the readers, and that it can find something."""
import pathlib
import subprocess
import sys

import readers_fuzz
import results

HERE = pathlib.Path(__file__).parent


def test_a_sample_finds_nothing(tmp_path):
    done = subprocess.run([sys.executable, HERE / "readers_fuzz.py", "--runs", "300", "--seed", "1",
                           "--seconds", "60", "--artifacts", tmp_path], capture_output=True,
                          text=True, check=False, timeout=200)
    assert (done.returncode, done.stdout, done.stderr) == (0, "300 inputs\n", "")


def test_an_exception_that_is_not_the_readers_own_is_kept_with_its_input(tmp_path, monkeypatch,
                                                                         capsys):
    monkeypatch.setattr(readers_fuzz.resource, "setrlimit", lambda *_: None)
    monkeypatch.setattr(results, "load", lambda path: {}["missing"])
    assert readers_fuzz.main(["--seed", "3", "--artifacts", str(tmp_path)]) == 1
    [kept] = tmp_path.glob("result-3-*")
    assert f"finding: KeyError: 'missing'; input: {kept}" in capsys.readouterr().err
    assert readers_fuzz.main([str(kept), "--artifacts", str(tmp_path)]) == 1
    monkeypatch.undo()
    monkeypatch.setattr(readers_fuzz.resource, "setrlimit", lambda *_: None)
    assert readers_fuzz.main([str(kept), "--artifacts", str(tmp_path)]) == 0
