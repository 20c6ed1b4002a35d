"""Reading result files: what is refused, and in which words."""
import copy
import json
import pathlib

import jsonschema
import pytest

import results
import testing

PROJECT = pathlib.Path(__file__).resolve().parent.parent
SCHEMA = json.loads((PROJECT / "results" / "schema.json").read_text())
GOOD = testing.steady([{100: 3, 200: 1}])


@pytest.mark.parametrize("made", [
    testing.steady([{100: 3}, {200: 4}], intervals=[{100: 1}]),
    testing.sweep([(1000.0, 999.0, False, {100: 3}), (2000.0, 1500.0, True, {})]),
], ids=["steady", "sweep"])
def test_synthetic_results_match_the_schema(made):
    jsonschema.Draft202012Validator(SCHEMA).validate(made)


def check_asked(form, kind):
    """Asserts that the schema has every field that the form asks for, and none as optional."""
    struct = SCHEMA["$defs"][kind]
    for key, inner in form.items():
        optional, key = key.endswith("?"), key.removesuffix("?")
        assert (key in struct["required"]) != optional, f"{kind}.{key}"
        member = struct["properties"][key]
        if isinstance(inner, list):
            inner, member = inner[0], member["items"]
        if isinstance(inner, dict):
            check_asked(inner, member["$ref"].rpartition("/")[2])


def test_only_fields_that_the_schema_requires_are_asked_for():
    check_asked(results.RESULT, "Result")
    properties = SCHEMA["$defs"]["Result"]["properties"]
    assert properties["format"]["const"] == results.FORMAT
    assert properties["version"]["maximum"] == results.NEWEST_VERSION


def test_a_run_gives_back_its_distribution(tmp_path):
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
    (["version"], 4, "version 4"),
    (["version"], "1", "version '1'"),
    (["version"], True, "version True"),
    (["label"], None, "label is missing"),
    (["trials"], {}, "trials is not a list"),
    (["trials", 0, "load"], [], r"trials\[0\].load is not an object"),
    (["trials", 0, "start_ns"], -1, r"trials\[0\].start_ns is '-1', not a count"),
    (["trials", 0, "start_ns"], 2**64, "not a count"),
    (["summary", 0, "saturated"], 0, "not true or false"),
    (["summary", 0, "rate_hz"], "10", "not 0 or between"),
    (["summary", 0, "rate_hz"], -1.0, "not 0 or between"),
    (["trials", 0, "ledger", "unaccounted"], 0.5, "not a whole number"),
    (["summary", 0, "overhead"], [{"role": "logging", "machine_percent": {"mean": "5"}}],
     r"overhead\[0\].machine_percent.mean is '5', not a number"),
    (["summary", 0, "response", "hdr"], 7, "not a text"),
    (["summary", 0, "response", "count"], 4.0, "not a count"),
])
def test_a_field_that_is_not_as_the_schema_says_is_named(tmp_path, path, value, reason):
    with pytest.raises(results.ResultError, match=reason):
        results.load(testing.write(tmp_path, changed(path, value)))


@pytest.mark.parametrize("text", ["", "{", "[" * 100000, "\xff", '{"format": NaN}', "null", "[]",
                                  '{"format": "other"}', "1e999"])
def test_what_is_no_result_is_refused(tmp_path, text):
    path = tmp_path / "x.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(results.ResultError, match="x.json"):
        results.load(path)


def test_infinite_numbers_are_refused(tmp_path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(GOOD).replace('"rate_hz": 10000.0', '"rate_hz": 1e999'))
    with pytest.raises(results.ResultError, match="rate_hz is 'inf'"):
        results.load(path)


def test_a_damaged_histogram_names_the_file(tmp_path):
    run = results.load(testing.write(tmp_path, GOOD, "steady.json"))
    with pytest.raises(results.ResultError, match="steady.json: a histogram is damaged"):
        run.histogram({"count": 3, "hdr": "AAAA"})


def test_a_histogram_that_is_not_the_counted_one_is_refused(tmp_path):
    run = results.load(testing.write(tmp_path, GOOD))
    with pytest.raises(results.ResultError, match="holds 2 values, should be 3"):
        run.histogram({"count": 3, "hdr": testing.encode({7: 2})})


def test_folders_give_their_results_and_name_the_rest(tmp_path):
    testing.write(tmp_path, GOOD, "b.json")
    testing.write(tmp_path, GOOD, "a.json")
    (tmp_path / "benchmark.json").write_text('{"benchmarks": []}')
    (tmp_path / "notes.txt").write_text("no JSON")
    runs, others = results.load_all([str(tmp_path)])
    assert [run.path.name for run in runs] == ["a.json", "b.json"]
    assert others == [str(tmp_path / "benchmark.json")]


def test_a_folder_without_results_is_refused(tmp_path):
    with pytest.raises(results.ResultError, match="no result file"):
        results.load_all([str(tmp_path)])


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(results.ResultError, match="No such file"):
        results.load_all([str(tmp_path / "none.json")])


def test_the_preset_is_part_of_the_scenario_where_it_says_more(tmp_path):
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


@pytest.mark.parametrize("path", sorted((PROJECT / "results" / "fixtures").glob("*.json")),
                         ids=lambda path: path.name)
def test_the_programs_digests_are_those_of_its_histograms(path):
    run = results.load(path)
    filled = [latency for latency in latencies(run.data) if latency["count"]]
    assert filled
    for latency in filled:
        histogram = run.histogram(latency)
        for key, q in (("p50_ns", 0.5), ("p90_ns", 0.9), ("p99_ns", 0.99), ("p99_9_ns", 0.999),
                       ("p99_99_ns", 0.9999), ("max_ns", 1)):
            assert histogram.quantile(q) == latency[key], key
