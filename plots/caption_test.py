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
    assert words.subtitle == ("3 trials of 2 s, 1 thread, payload 128 bytes; 2026-01-02; revision "
                              "0123456789; Example CPU 2.0 GHz, Debian GNU/Linux 12")
    assert words.banner == "" and words.notes == []


def test_a_label_is_a_banner_and_marks_its_runs(as_runs):
    wine = testing.steady([VALUES], sink="etw", label="Wine: smoke, not Windows")
    assert made(as_runs(wine)).banner == "Wine: smoke, not Windows"
    runs = as_runs(wine, testing.steady([VALUES]))
    assert made(runs).banner == "Wine: smoke, not Windows (1 of 2 runs)"
    assert caption.names(runs) == ["etw [Wine: smoke, not Windows]", "file"]


@pytest.mark.parametrize("change, note", [
    ({"ledger": {"checked": True, "emitted": 10, "lost": 0, "unaccounted": 3}},
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
    assert made(as_runs(data), 2000.0).notes[1:] == ["! file: too slow"]


def test_similar_remarks_of_several_runs_are_one_note(as_runs):
    data = [testing.steady([VALUES], sink=sink) for sink in "abcdef"]
    for one in data:
        one["trials"][0] |= remark("memory could not be locked")
    assert made(as_runs(*data)).notes == [
        "! a, b, c, d, and 2 more: memory could not be locked (and 5 similar trials)"]


def test_remarks_on_noise_are_one_note_with_the_worst(as_runs):
    noise = ("an idle thread on the load's processor did not run for {} % of the time before the "
             "load")
    data = [testing.steady([VALUES] * 2, sink=sink) for sink in "abc"]
    data[0]["trials"][0] |= remark(noise.format("13.6"))
    data[2]["trials"][0] |= remark(noise.format("20.0"))
    data[2]["trials"][1] |= remark(noise.format("7.25"))
    start = "an idle thread on the load's processor did not run for up to"
    assert made(as_runs(*data)).notes == [
        f"! Noise: before 3 of 6 trials {start} 20 % of the time (c 20 %, a 13.6 %)"]
    assert made(as_runs(data[0])).notes == [
        f"! Noise: before 1 of 2 trials {start} 13.6 % of the time"]
    others = "; then and during the load others used, of one processor: "
    data[2]["trials"][0] |= remark(noise.format("20.0") + others + "cc1plus 71 %, python3 5 %")
    data[2]["trials"][1] |= remark(noise.format("7.25") + others + "python3 140 %")
    assert made(as_runs(data[2])).notes == [
        f"! Noise: before 2 of 2 trials {start} 20 % of the time; others ran: python3, cc1plus"]


def test_runs_of_one_sink_at_two_rates_are_told_apart_by_the_rate_alone(as_runs):
    slow, fast = testing.steady([VALUES]), testing.steady([VALUES])
    fast["summary"][0] = fast["summary"][0] | {"rate_hz": 2 * slow["summary"][0]["rate_hz"]}
    labels = [part.name for part in caption.choose(as_runs(slow, fast))]
    assert len(set(labels)) == 2 and all("(" not in label for label in labels)
    assert all(label.startswith("file at ") for label in labels)


def test_different_machines_are_not_comparable(as_runs):
    other = testing.steady([VALUES], sink="null")
    other["machine"] = other["machine"] | {"fingerprint": "ffff0000", "cpu_model": "Other CPU"}
    words = made(as_runs(testing.steady([VALUES]), other))
    assert words.notes == ["! The runs are from different machines, which may not be compared: "
                           "a1b2c3d4e5f60718, ffff0000"]
    assert "Example CPU 2.0 GHz" in words.subtitle and "Other CPU" in words.subtitle


def test_days_and_revisions_that_differ_are_told(as_runs):
    first, second = testing.steady([VALUES]), testing.steady([VALUES])
    second["started_utc"] = "2026-03-04T00:00:00Z"
    second["build"] = second["build"] | {"revision": "ffff", "dirty": True}
    text = caption.origin(as_runs(first, second))
    assert text.startswith("2026-01-02 to 2026-03-04; revisions 0123456789, ffff with changes; ")


def test_parts_are_in_the_order_of_their_p99(as_runs):
    data = [testing.steady([values], sink=sink) for sink, values in
            (("slow", {9000: 5}), ("none", {}), ("fast", {10: 5}), ("tail", {1: 90, 400: 10}))]
    assert [part.name for part in caption.choose(as_runs(*data))] == ["fast", "tail", "slow",
                                                                      "none"]


def lossy(emitted, lost, **changes):
    ledger = testing.trial(VALUES)["ledger"]
    return ledger | {"emitted": emitted, "lost": lost, "delivered": emitted - lost} | changes


def test_losses_and_saturation_are_in_the_title_of_a_part(as_runs):
    data = testing.sweep([(1000.0, 1000.0, False, VALUES), (2000.0, 900.0, True, VALUES)])
    data["trials"][1]["ledger"] = lossy(1000, 25)
    runs = as_runs(data)
    assert [part.title for part in caption.choose(runs, 1000)] == ["file"]
    assert [part.title for part in caption.choose(runs, 2000)] == ["file (saturated, lost 2.5 %)"]
    assert [note for note in made(runs, 2000).notes if note.startswith("Saturated: ")]
    data["trials"][1]["ledger"] = lossy(1000, 0, delivered=990, unaccounted=10)
    [part] = caption.choose(as_runs(data), 2000)
    assert part.marks == ["saturated", "INVALID"]


def test_a_rate_that_was_missed_by_the_machine_is_told_from_one_of_the_sink(as_runs):
    data = testing.sweep([(1000.0, 1000.0, False, VALUES), (2000.0, 900.0, True, VALUES)])
    data["summary"][1]["saturated_by_machine"] = True
    [part] = caption.choose(as_runs(data), 2000)
    assert part.marks == ["saturated by machine"]
    notes = made(as_runs(data), 2000).notes
    assert [note for note in notes if note.startswith("Saturated by machine: ")]
    assert not [note for note in notes if note.startswith("Saturated: ")]


@pytest.mark.parametrize("share, text", [
    (0, "0 %"), (1, "100 %"), (0.9999, "> 99.9 %"), (0.123, "12.3 %"), (0.01, "1 %"),
    (0.00012, "0.012 %"), (1e-9, "< 0.001 %")])
def test_a_share_is_never_rounded_to_all_or_nothing(share, text):
    assert caption.percent_text(share) == text


def test_steps_and_runs_that_are_left_out_are_noted(as_runs):
    swept = testing.sweep([(1e3, 1e3, False, VALUES), (1e4, 1e4, False, VALUES),
                           (1e5, 5e4, True, VALUES)], sink="a")
    swept["trials"].append(testing.trial(VALUES, step=3, plan=testing.load(1e6),
                                         outcome="crashed"))
    runs = as_runs(swept, testing.sweep([(1e4, 1e4, False, VALUES)], sink="b"))
    parts = caption.choose(runs, 1e3)
    assert caption.left_out(runs, parts) == [
        "! b: nothing at 1k events/s, so it is left out",
        "Shown: 1k events/s; left out: 10k, 100k events/s (--rate chooses another).",
        "! a: no trial completed at 1M events/s, so this step is left out"]
    assert caption.left_out(runs[1:], caption.choose(runs[1:])) == []


def test_a_chosen_rate_is_in_the_name_of_the_file(as_runs, options):
    runs = as_runs(testing.steady([VALUES]))
    assert caption.plot_name("ranking", runs, options) == "ranking-steady"
    options.rate_hz = 1e6
    assert caption.plot_name("ranking", runs, options) == "ranking-steady+rate_hz-1000000"


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
    assert made(runs).title == "Latency – steady, rates as named"


def test_the_usual_rate_is_in_the_title_and_other_rates_come_last(as_runs):
    runs = as_runs(*(testing.steady([{value: 9}], rate_hz=rate, sink=sink)
                     for sink, rate, value in (("slow", 1e4, 900), ("other", 1e3, 5),
                                               ("fast", 1e4, 100))))
    parts = caption.choose(runs)
    assert [(part.name, part.sink) for part in parts] == [
        ("fast", "fast"), ("slow", "slow"), ("other at 1k events/s", "other")]
    assert caption.between_rates(parts) == [2]
    assert "below the line" in caption.order_note(parts)
    assert caption.order_note(parts[:2]) == "Ordered by p99, the shortest on top."
    assert made(runs).title == "Latency – steady, 10k events/s or as named"


def test_several_steps_that_ran_again_are_one_note(as_runs):
    def again(rate, others):
        return {"what": f"at {rate} events/s it ran 2 times, since {others} took the load's "
                        "processor; attempt 2 is kept: it held the rate", "remedy": ""}
    one, two = (testing.steady([VALUES], sink=sink) for sink in "ab")
    one["remarks"] = [again(1000, "cc1plus")]
    assert [note for note in made(as_runs(one)).notes if "ran 2 times" in note]
    one["remarks"] += [{"what": "own", "remedy": ""}, again(2000, "cc1plus and ld")]
    two |= {"remarks": [again(1000, "cc1plus, ld and as")], "complete": False}
    assert made(as_runs(one, two)).notes == [
        "! b: the run ended before its last trial",
        "! Steps that ran again, since others took the load's processor (cc1plus, ld, as): "
        "2 of a, 1 of b",
        "! a: own"]


def test_without_a_common_sustained_rate_each_shows_its_own_highest(as_runs):
    low = testing.sweep([(10.0, 10.0, False, VALUES), (100.0, 20.0, True, VALUES)], sink="low")
    high = testing.sweep([(100.0, 100.0, False, VALUES), (1e3, 1e3, False, VALUES)], sink="high")
    assert [part.name for part in caption.choose(as_runs(low, high))] == [
        "high at 1k events/s", "low at 10 events/s"]


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
