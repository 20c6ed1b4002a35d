"""Reading result files: what is refused, and with which message."""
import copy
import json
import pathlib

import jsonschema
import pytest

import caption
import plot
import results
import testing

PROJECT = pathlib.Path(__file__).resolve().parent.parent
SCHEMA = json.loads((PROJECT / "results" / "schema.json").read_text())
FIXTURES = sorted((PROJECT / "results" / "fixtures").glob("*.json"))
GOOD = testing.steady([{100: 3, 200: 1}])


@pytest.mark.parametrize("made", [
    testing.steady([{100: 3}, {200: 4}], intervals=[{100: 1}]),
    testing.sweep([(1000.0, 999.0, False, {100: 3}), (2000.0, 1500.0, True, {})]),
], ids=["steady", "sweep"])
def test_synthetic_results_match_the_schema(made):
    jsonschema.Draft202012Validator(SCHEMA).validate(made)


def test_the_format_is_that_of_the_schema():
    properties = SCHEMA["$defs"]["Result"]["properties"]
    assert properties["format"]["const"] == results.FORMAT
    assert properties["version"]["maximum"] == results.newest_version("schema") == 6


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
@pytest.mark.parametrize("kind", plot.KINDS)
def test_every_plot_takes_every_version(path, kind, options):
    """No plot needs a field that older results lack."""
    try:
        for _, figure in plot.KINDS[kind]([results.load(path)], options):
            assert figure.axes
    except caption.Skip as reason:
        assert str(reason).startswith("needs")


def test_fields_that_the_schema_does_not_know_do_no_harm(tmp_path):
    run = results.load(testing.write(tmp_path, GOOD | {"given_up": 1}))
    assert run.data["given_up"] == 1


def test_a_run_returns_its_distribution(tmp_path):
    run = results.load(testing.write(tmp_path, GOOD))
    buckets = run.histogram(run.data["summary"][0]["response"]).buckets
    assert buckets == [(100, 100, 3), (200, 200, 1)]


def test_an_empty_latency_without_encoding_is_an_empty_histogram(tmp_path):
    run = results.load(testing.write(tmp_path, GOOD))
    assert run.histogram({"count": 0, "hdr": ""}).total == 0


def changed(path, value):
    data = copy.deepcopy(GOOD)
    place = data
    for key in path[:-1]:
        place = place[key]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return data


@pytest.mark.parametrize("path, value, reason", [
    (["version"], 7, "version 7, known are 1 to 6"),
    (["version"], "1", "version '1'"),
    (["version"], True, "version True"),
    (["label"], None, "'label' is a required property"),
    (["trials"], {}, "trials: {} is not of type 'array'"),
    (["trials", 0, "load"], [], r"trials\[0\].load: \[\] is not of type 'object'"),
    (["trials", 0, "load"], {"x" * 99: 1}, r"trials\[0\].load: 'shape' is a required property"),
    (["trials", 0, "load", "shape"], {"x" * 99: 1}, "shape: {'x{38}… is not of type 'string'"),
    (["trials", 0, "start_ns"], -1, r"trials\[0\].start_ns: -1 is less than the minimum of 0"),
    (["trials", 0, "start_ns"], 2**64, "start_ns: 18446744073709551616 is greater than the"),
    (["summary", 0, "saturated"], 0, "0 is not of type 'boolean'"),
    (["summary", 0, "rate_hz"], "10", "rate_hz: '10' is not of type 'number'"),
    (["summary", 0, "rate_hz"], -1.0, "rate_hz: -1.0 is less than the minimum of 0"),
    (["summary", 0, "rate_hz"], 1e-10, "1e-10 is between 0 and 1e-09, which no axis can show"),
    (["summary", 0, "rate_hz"], 1e19, r"1e\+19 is greater than the maximum of 1e\+18"),
    (["trials", 0, "ledger", "unaccounted"], 0.5, "0.5 is not of type 'integer'"),
    (["summary", 0, "overhead"], [{"role": "logging", "machine_percent": {"mean": "5"}}],
     r"overhead\[0\].machine_percent.mean: '5' is not of type 'number'"),
    (["summary", 0, "response", "hdr"], 7, "hdr: 7 is not of type 'string'"),
    (["summary", 0, "response", "count"], 4.0, "count: 4.0 is not of type 'integer'"),
])
def test_a_field_that_breaks_the_schema_is_named(tmp_path, path, value, reason):
    with pytest.raises(results.ResultError, match=reason):
        results.load(testing.write(tmp_path, changed(path, value)))


@pytest.mark.parametrize("text", ["", "{", "[" * 100000, "\xff", '{"format": NaN}', "null", "[]",
                                  '{"format": "other"}', "1e999"])
def test_a_file_that_is_not_a_result_is_refused(tmp_path, text):
    path = tmp_path / "x.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(results.ResultError, match="x.json"):
        results.load(path)


def test_infinite_numbers_are_refused(tmp_path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(GOOD).replace('"rate_hz": 10000.0', '"rate_hz": 1e999'))
    with pytest.raises(results.ResultError, match="rate_hz: inf is greater than"):
        results.load(path)


def test_a_damaged_histogram_names_the_file(tmp_path):
    run = results.load(testing.write(tmp_path, GOOD, "steady.json"))
    with pytest.raises(results.ResultError, match="steady.json: a histogram is damaged"):
        run.histogram({"count": 3, "hdr": "AAAA"})


def test_a_histogram_with_another_count_than_its_latency_is_refused(tmp_path):
    run = results.load(testing.write(tmp_path, GOOD))
    with pytest.raises(results.ResultError, match="holds 2 values, should be 3"):
        run.histogram({"count": 3, "hdr": testing.encode({7: 2})})


def test_folders_give_their_results_and_the_names_of_other_files(tmp_path):
    testing.write(tmp_path, GOOD, "b.json")
    testing.write(tmp_path, GOOD, "a.json")
    (tmp_path / "benchmark.json").write_text('{"benchmarks": []}')
    (tmp_path / "notes.txt").write_text("no JSON")
    runs, others, damaged = results.load_all([str(tmp_path)])
    assert [run.path.name for run in runs] == ["a.json", "b.json"]
    assert others == [str(tmp_path / "benchmark.json")] and not damaged


def test_a_damaged_file_does_not_hide_the_others_of_its_folder(tmp_path):
    whole = testing.write(tmp_path, GOOD, "b.json")
    (tmp_path / "a.json").write_bytes(whole.read_bytes()[:500])
    runs, others, [problem] = results.load_all([str(tmp_path)])
    assert [run.path.name for run in runs] == ["b.json"] and not others
    assert problem.startswith(f"{tmp_path}/a.json: not JSON")
    whole.unlink()
    with pytest.raises(results.ResultError, match="a.json: not JSON"):
        results.load_all([str(tmp_path)])


def test_a_folder_without_results_is_refused(tmp_path):
    with pytest.raises(results.ResultError, match="no result file"):
        results.load_all([str(tmp_path)])


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(results.ResultError, match="No such file"):
        results.load_all([str(tmp_path / "none.json")])


def test_a_preset_with_another_name_is_part_of_the_scenario_s_name(tmp_path):
    for preset, name in (("", "steady"), ("steady", "steady"), ("quick.toml", "steady-quick")):
        data = copy.deepcopy(GOOD)
        data["scenario"]["preset"] = preset
        assert results.load(testing.write(tmp_path, data)).scenario == name


def latencies(value):
    """Every latency object in a result."""
    if isinstance(value, dict):
        if "hdr" in value:
            yield value
        for inner in value.values():
            yield from latencies(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from latencies(inner)


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_the_program_s_digests_match_its_histograms(path):
    run = results.load(path)
    filled = [latency for latency in latencies(run.data) if latency["count"]]
    assert filled
    for latency in filled:
        histogram = run.histogram(latency)
        for key, q in (("p50_ns", 0.5), ("p90_ns", 0.9), ("p99_ns", 0.99), ("p99_9_ns", 0.999),
                       ("p99_99_ns", 0.9999), ("max_ns", 1)):
            assert histogram.quantile(q) == latency[key], key
