"""Validates results against results/schema.json with an implementation of JSON Schema."""

import copy
import json
import os
import pathlib
import subprocess

import jsonschema
import pytest

RESULTS = pathlib.Path(__file__).resolve().parent
SCHEMA = json.loads((RESULTS / "schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
FIXTURES = sorted((RESULTS / "fixtures").glob("*.json"))


def written_now():
    """A result as the program writes it today."""
    program = os.environ["TAILGATE_FIXTURE_PROGRAM"]
    return json.loads(subprocess.run([program], check=True, capture_output=True).stdout)


def test_the_schema_is_a_valid_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_fixtures_validate(path):
    VALIDATOR.validate(json.loads(path.read_text()))


def test_a_result_of_this_build_validates():
    VALIDATOR.validate(written_now())


@pytest.mark.parametrize("break_it", [
    lambda result: result.pop("id"),
    lambda result: result.update(version=99),
    lambda result: result.update(format="other"),
    lambda result: result["trials"][0].update(index=-1),
    lambda result: result["trials"][0]["load"].update(rate_hs=1),
    lambda result: result["trials"][0]["consumer"].update(delivery=None),
    lambda result: result["trials"][1]["response"].update(p99_ns="fast"),
    lambda result: result["trials"][2]["ledger"]["losses"][0].pop("cause"),
])
def test_what_the_reader_refuses_the_schema_refuses(break_it):
    broken = copy.deepcopy(written_now())
    break_it(broken)
    assert not VALIDATOR.is_valid(broken)
