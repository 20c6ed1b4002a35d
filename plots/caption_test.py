"""The text around the plots: names, titles, labels, warnings."""
import pytest

import caption
import testing

VALUES = {1000: 10}


def made(runs, rate_hz=None):
    return caption.caption("Latency", caption.choose(runs, rate_hz))


def test_title_and_subtitle_say_what_where_and_how_much(as_runs):
    words = made(as_runs(testing.steady([VALUES] * 3)))
    assert words.title == "Latency – steady, 10k events/s"
    assert words.subtitle == ("3 trials of 2 s, 1 thread, payload 128 bytes; machine "
                              "a1b2c3d4e5f60718 (Example CPU 2.0 GHz, Debian GNU/Linux 12)")
    assert words.banner == "" and words.notes == []


def test_a_label_is_a_banner_and_marks_its_runs(as_runs):
    wine = testing.steady([VALUES], sink="etw", label="Wine: smoke, not Windows")
    assert made(as_runs(wine)).banner == "Wine: smoke, not Windows"
    runs = as_runs(wine, testing.steady([VALUES]))
    assert made(runs).banner == "Wine: smoke, not Windows (1 of 2 runs)"
    assert caption.names(runs) == ["etw [Wine: smoke, not Windows]", "file"]


@pytest.mark.parametrize("change, note", [
    ({"ledger": {"checked": True, "emitted": 10, "unaccounted": 3}},
     "! file: INVALID, 3 events unaccounted for in 1 of 2 trials"),
    ({"outcome": "hung"}, "! file: 1 of 2 trials hung: not in the figures"),
    ({"remarks": [{"what": "the clock drifted by 3 ppm", "remedy": "wait"}]},
     "! file: the clock drifted by 3 ppm"),
])
def test_problems_of_a_trial_are_noted(as_runs, change, note):
    data = testing.steady([VALUES] * 2)
    data["trials"][1] |= change
    assert made(as_runs(data)).notes == [note]


def test_an_unchecked_ledger_is_no_loss(as_runs):
    data = testing.steady([VALUES])
    data["trials"][0]["ledger"] |= {"checked": False, "unaccounted": 5}
    assert made(as_runs(data)).notes == []


def test_problems_of_a_run_are_noted(as_runs):
    data = testing.steady([VALUES], complete=False,
                          remarks=[{"what": "the disk is full", "remedy": "make room"}])
    assert made(as_runs(data)).notes == [
        "! file: the run ended before its last trial", "! file: the disk is full"]


def remark(text):
    return {"remarks": [{"what": text, "remedy": "none"}]}


def test_remarks_that_differ_only_in_numbers_are_merged(as_runs):
    data = testing.steady([VALUES] * 4)
    for trial, text in zip(data["trials"], ("lost 3 of 10", "lost 4.5 of 10", "lost 6 of 10", "x")):
        trial |= remark(text)
    assert made(as_runs(data)).notes == ["! file: lost 3 of 10 (and 2 similar trials)",
                                         "! file: x"]


def test_only_remarks_of_the_step_shown_are_noted(as_runs):
    data = testing.sweep([(1000.0, 1000.0, False, VALUES), (2000.0, 900.0, True, VALUES)])
    data["trials"][1] |= remark("too slow")
    assert made(as_runs(data)).notes == []
    assert made(as_runs(data), 2000.0).notes == ["! file: too slow"]


def test_different_machines_are_not_comparable(as_runs):
    other = testing.steady([VALUES], sink="null")
    other["machine"] = other["machine"] | {"fingerprint": "ffff0000"}
    words = made(as_runs(testing.steady([VALUES]), other))
    assert words.notes == ["! The runs are from different machines: not comparable."]
    assert "a1b2c3d4" in words.subtitle and "ffff0000" in words.subtitle


def test_long_lists_of_notes_are_cut_with_their_number():
    words = caption.Caption("", "", notes=[f"note {k}" for k in range(25)])
    assert len(words.shown_notes) == caption.MAX_NOTES
    assert words.shown_notes[-1] == "! … and 16 more remarks: see 'tailgate show'."


def test_names_differ_by_what_differs(as_runs):
    one, two = testing.steady([VALUES]), testing.steady([VALUES])
    assert caption.names(as_runs(one, two)) == ["file (folder0)", "file (folder1)"]
    run, _ = as_runs(one, two)
    assert caption.names([run, run]) == ["file #1", "file #2"]


def test_different_rates_are_in_the_names(as_runs):
    runs = as_runs(testing.steady([VALUES], rate_hz=1000.0, sink="a"),
                   testing.steady([VALUES], rate_hz=0.0, sink="b"))
    assert [part.name for part in caption.choose(runs)] == [
        "a at 1k events/s", "b at maximum rate (closed loop)"]
    assert made(runs).title == "Latency – steady, different loads"


def test_without_a_common_sustained_rate_each_shows_its_own_highest(as_runs):
    low = testing.sweep([(10.0, 10.0, False, VALUES), (100.0, 20.0, True, VALUES)], sink="low")
    high = testing.sweep([(100.0, 100.0, False, VALUES), (1e3, 1e3, False, VALUES)], sink="high")
    assert [part.name for part in caption.choose(as_runs(low, high))] == [
        "low at 10 events/s", "high at 1k events/s"]


@pytest.mark.parametrize("change, text", [
    ({}, "10k events/s"), ({"shape": "poisson"}, "10k events/s, Poisson"),
    ({"shape": "burst", "burst_events": 50, "burst_gap_s": 0.005},
     "bursts of 50 events every 0.005 s (10k events/s)"),
    ({"shape": "ramp", "end_rate_hz": 2e6}, "ramp from 10k to 2M events/s"),
    ({"shape": "max", "rate_hz": 0.0}, "maximum rate (closed loop)"),
    ({"shape": "max", "rate_hz": 0.0, "burst_events": 20, "burst_gap_s": 0.001},
     "batches of 20 calls, then a pause of 0.001 s (closed loop)"),
])
def test_loads_in_words(change, text):
    assert caption.load_text(testing.load() | change) == text


def test_file_names_have_only_characters_that_file_systems_accept():
    assert caption.file_name("a@b:c=d,e/../f é*.x") == "a@b_c-d_e-..-f---.x"
