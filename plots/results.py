"""Reads result files and checks them against results/schema.json.

Numbers are taken as the file has them; nothing is measured or derived anew here. Texts are made
drawable when a file is loaded, so that every plot and message may show them.
"""
import functools
import json
import pathlib
import sys
from dataclasses import dataclass

import hdr
from printable import drawable_data

try:
    import jsonschema
except ImportError as problem:
    print(f"error: {sys.executable} cannot import jsonschema ({problem}); install Debian's package "
          "python3-jsonschema and use /usr/bin/python3", file=sys.stderr)
    raise SystemExit(3) from None

# In the source tree as where they are installed.
SCHEMAS = pathlib.Path(__file__).resolve().parent.parent / "results"
FORMAT = "tailgate-result"
# Rates and durations. An axis can show 0 and what is from SMALLEST to LARGEST.
AMOUNTS = {"rate_hz", "end_rate_hz", "achieved_rate_hz", "burst_gap_s", "duration_s"}
SMALLEST, LARGEST = 1e-9, 1e18
MOST_BYTES = 128 << 20  # as kMaxResultBytes of harness/result/json.h


class ResultError(Exception):
    """A file that cannot be used: the message names the file, what is wrong, and what to do."""


class NotAResult(ResultError):
    """Well-formed JSON that is not a result of tailgate."""


@dataclass(frozen=True)
class Run:
    """One result file."""

    path: pathlib.Path
    data: dict

    @property
    def label(self):
        """The sink with its options."""
        return self.data["sink"]["label"] or self.data["sink"]["name"]

    @property
    def scenario(self):
        """The scenario's name, and the preset's name if it differs."""
        name, preset = self.data["scenario"]["name"], self.data["scenario"]["preset"]
        preset = pathlib.PurePath(preset).stem
        return f"{name}-{preset}" if preset not in ("", name) else name

    def trials(self, step):
        """The trials of a step with any outcome, in the order in which they ran."""
        return [trial for trial in self.data["trials"] if trial["step"] == step]

    def histogram(self, latency):
        """The histogram of a latency of this run."""
        if not latency["hdr"] and latency["count"] == 0:
            return hdr.Histogram([])
        try:
            histogram = hdr.decode(latency["hdr"])
            if histogram.total != latency["count"]:
                raise ValueError(f"holds {histogram.total} values, should be {latency['count']}")
            return histogram
        except ValueError as error:
            raise ResultError(f"{self.path}: a histogram is damaged ({error}); run it again or "
                              "restore the file") from None


def read_bounded(path):
    """The bytes of a file; ValueError when there are more than any file of tailgate has."""
    with open(path, "rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ValueError(f"more than {MOST_BYTES >> 20} MiB")
    return data


def load(path):
    """The Run in the file; ResultError when it cannot be read or is not a result."""
    try:
        data = json.loads(read_bounded(path), parse_constant=_refuse_constant)
    except OSError as error:
        raise ResultError(f"{path}: {error.strerror}; give a result file or a folder of them"
                          ) from None
    except (ValueError, RecursionError) as error:
        raise ResultError(f"{path}: not JSON ({error}); give a file that 'tailgate run' wrote"
                          ) from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise NotAResult(f"{path}: not a result of tailgate (no \"format\": \"{FORMAT}\"); give a "
                         "file that 'tailgate run' wrote")
    version = data.get("version")
    newest = newest_version("schema")
    if type(version) is not int or not 1 <= version <= newest:
        raise ResultError(f"{path}: result version {version!r}, known are 1 to {newest}; use the "
                          "plots that came with the program that wrote it")
    fault = fault_of(data, "schema")
    if fault:
        raise ResultError(f"{path}: {fault}; restore the file or run it again")
    return Run(path, drawable_data(data))


def load_all(names):
    """The runs in the files and folders (their *.json), and why other JSON files in folders are not
    among them: those that are not results, and those that are damaged, which hide no other.
    ResultError when a named file or folder cannot be used."""
    runs, others, damaged = [], [], []
    for path in map(pathlib.Path, names):
        if not path.is_dir():
            runs.append(load(path))
            continue
        found = len(runs)
        for file in sorted(path.glob("*.json")):
            try:
                runs.append(load(file))
            except NotAResult:
                others.append(str(file))
            except ResultError as error:
                damaged.append(str(error))
        if len(runs) == found:
            raise ResultError(damaged[-1] if damaged else
                              f"{path}: no result file in this folder; give the --out folder of a "
                              "run")
    return runs, others, damaged


def _refuse_constant(name):
    raise ValueError(f"{name} is not a JSON number")


@functools.cache
def schema(name):
    """The JSON Schema of that name in results/, with the limits of what an axis can show. Fields
    that it does not know are let through: an older file may have some."""
    path = SCHEMAS / f"{name}.json"
    try:
        made = json.loads(path.read_bytes())
    except OSError as error:
        raise ResultError(f"{path}: {error.strerror}; install tailgate again") from None
    for struct in made["$defs"].values():
        struct.pop("additionalProperties", None)
        for field, form in struct["properties"].items():
            if form.get("type") == "number":
                form.update(minimum=0 if field in AMOUNTS else -LARGEST, maximum=LARGEST)
            if field in AMOUNTS:
                form["not"] = {"exclusiveMinimum": 0, "exclusiveMaximum": SMALLEST}
    return made


def newest_version(name):
    """The newest version of the format that the schema describes."""
    made = schema(name)
    root = made["$defs"][made["$ref"].rpartition("/")[2]]
    return root["properties"]["version"]["maximum"]


@functools.cache
def _validator(name):
    kind = jsonschema.Draft202012Validator
    # To JSON Schema 4.0 is an integer; to the program that writes and reads the files it is not.
    types = kind.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int)
    return jsonschema.validators.extend(kind, type_checker=types)(schema(name))


def fault_of(data, name):
    """Where and why `data` does not match the schema of that name, or None."""
    error = next(_validator(name).iter_errors(data), None)
    if error is None:
        return None
    place = error.json_path.removeprefix("$").removeprefix(".")
    value = repr(error.instance)
    if error.validator == "not":
        message = f"{value} is between 0 and {SMALLEST:g}, which no axis can show"
    else:
        message = error.message.replace(value, value[:40] + ("\u2026" if value[40:] else ""), 1)
    return f"{place}: {message}" if place else message
