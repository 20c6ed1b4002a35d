"""The synthetic results of testing.py, and what results.py asks for, against the schema itself."""
import pathlib
import re

import pytest

import results
import testing

SCHEMA = pathlib.Path(__file__).parent.parent / "harness" / "result" / "result.h"
OPTIONAL = {("ConsumerReport", "delivery"), ("StepSummary", "delivery")}


def structs():
    """{struct: {field: C++ type}} of the fields that the schema's describe functions list."""
    found = {}
    for name, body in re.findall(r"^struct (\w+) \{(.*?)^\};", SCHEMA.read_text(), re.M | re.S):
        types = {field: kind for kind, field in
                 re.findall(r"^  ([\w:<>]+) (\w+)(?: = [^;]+)?;", body, re.M)}
        listed = re.findall(r'v\("(\w+)",\s*&' + name + r"::(\w+)", body)
        assert all(key == field for key, field in listed)
        found[name] = {key: types[key] for key, _ in listed}
    return found


STRUCTS = structs()


def check(value, kind, place="result"):
    """Asserts that the value has exactly the fields and types of the C++ type."""
    wrapped = re.fullmatch(r"std::(vector|optional)<(.+)>", kind)
    if wrapped and wrapped[1] == "vector":
        assert isinstance(value, list), place
        for number, item in enumerate(value):
            check(item, wrapped[2], f"{place}[{number}]")
    elif wrapped:
        check(value, wrapped[2], place)
    elif kind in STRUCTS:
        assert set(value) == set(STRUCTS[kind]), place
        for key, inner in STRUCTS[kind].items():
            check(value[key], inner, f"{place}.{key}")
    elif kind == "std::string":
        assert isinstance(value, str), place
    elif kind == "bool":
        assert isinstance(value, bool), place
    elif kind == "double":
        assert isinstance(value, float), place
    else:
        assert re.fullmatch(r"int|unsigned|std::u?int\d+_t", kind), f"{place}: type {kind}"
        assert type(value) is int, place


@pytest.mark.parametrize("made", [
    testing.steady([{100: 3}, {200: 4}], intervals=[{100: 1}]),
    testing.sweep([(1000.0, 999.0, False, {100: 3}), (2000.0, 1500.0, True, {})]),
], ids=["steady", "sweep"])
def test_synthetic_results_match_the_schema(made):
    check(made, "Result")


def asked(form, kind):
    """Asserts that every field that results.py asks for is in the schema and not optional."""
    for key, inner in form.items():
        assert key in STRUCTS[kind], f"{kind}::{key}"
        assert (kind, key) not in OPTIONAL
        member = re.sub(r"std::vector<(.+)>", r"\1", STRUCTS[kind][key])
        if isinstance(inner, list):
            inner = inner[0]
        if isinstance(inner, dict):
            asked(inner, member)


def test_only_fields_of_the_schema_are_asked_for():
    asked(results.RESULT, "Result")


def test_the_version_is_the_schemas():
    assert f"kResultVersion = {results.NEWEST_VERSION};" in SCHEMA.read_text()
    assert f'kResultFormat = "{results.FORMAT}"' in SCHEMA.read_text()
