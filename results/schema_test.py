"""Validates results and duets against their schemas with an implementation of JSON Schema."""

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
DUET_SCHEMA = json.loads((RESULTS / "duet-schema.json").read_text())
DUET_VALIDATOR = jsonschema.Draft202012Validator(DUET_SCHEMA)
DUET_FIXTURES = sorted((RESULTS / "fixtures" / "duets").glob("*.json"))


def written_now(*arguments):
    """A result, or with "duet" a duet, as the program writes it today."""
    program = os.environ["TAILGATE_FIXTURE_PROGRAM"]
    done = subprocess.run([program, *arguments], check=True, capture_output=True)
    return json.loads(done.stdout)


def test_the_schemas_are_valid_schemas():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.Draft202012Validator.check_schema(DUET_SCHEMA)


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


def test_duets_validate_and_are_no_results():
    assert DUET_FIXTURES
    for duet in [json.loads(path.read_text()) for path in DUET_FIXTURES] + [written_now("duet")]:
        DUET_VALIDATOR.validate(duet)
        assert not VALIDATOR.is_valid(duet)
    assert not DUET_VALIDATOR.is_valid(written_now())


@pytest.mark.parametrize("break_it", [
    lambda duet: duet.pop("seed"),
    lambda duet: duet.update(version=99),
    lambda duet: duet["rounds"][0]["a"].pop("service"),
    lambda duet: duet["rounds"][0]["b"].update(preempted=-1),
    lambda duet: duet["a"].update(sink="file"),
])
def test_what_the_reader_refuses_of_a_duet_the_schema_refuses(break_it):
    broken = copy.deepcopy(written_now("duet"))
    break_it(broken)
    assert not DUET_VALIDATOR.is_valid(broken)
