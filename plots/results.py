"""Reads result files (harness/result/result.h is the schema) and checks the fields that plots use.

Numbers are taken as the file has them; nothing is measured or derived anew here.
"""
import json
import pathlib
from dataclasses import dataclass

import hdr

FORMAT = "tailgate-result"
NEWEST_VERSION = 3


class ResultError(Exception):
    """A file that cannot be used: the message names the file, what is wrong, and what to do."""


class NotAResult(ResultError):
    """Well-formed JSON that is no result of tailgate."""


COUNT, BALANCE, TEXT, FLAG = "a count", "a whole number", "a text", "true or false"
NUMBER = "a number between -1e18 and 1e18"
# Rates and durations; beyond these bounds no axis could show them.
AMOUNT = "0 or between 1e-9 and 1e18"
LATENCY = {"count": COUNT, "min_ns": COUNT, "p50_ns": COUNT, "p99_ns": COUNT, "p99_9_ns": COUNT,
           "max_ns": COUNT, "overflow": COUNT, "hdr": TEXT}
LOAD = {"shape": TEXT, "rate_hz": AMOUNT, "end_rate_hz": AMOUNT, "burst_events": COUNT,
        "burst_gap_s": AMOUNT, "threads": COUNT, "payload": TEXT, "duration_s": AMOUNT,
        "events": COUNT}
REMARKS = [{"what": TEXT}]
INTERVAL = {"start_ns": COUNT, "end_ns": COUNT, "response": LATENCY}
TRIAL = {"index": COUNT, "step": COUNT, "load": LOAD, "outcome": TEXT, "start_ns": COUNT,
         "response": LATENCY, "service": LATENCY, "intervals": [INTERVAL],
         "ledger": {"checked": FLAG, "emitted": COUNT, "unaccounted": BALANCE},
         "floor": {"service": LATENCY}, "remarks": REMARKS}
# A name with a question mark: older files, or runs that did not measure it, lack the field.
ESTIMATE = {"mean": NUMBER, "half_width?": NUMBER}
ROLE = {"role": TEXT, "cpu_ns_per_event?": ESTIMATE, "machine_percent?": ESTIMATE}
STEP = {"step": COUNT, "rate_hz": AMOUNT, "achieved_rate_hz": AMOUNT, "trials": COUNT,
        "saturated": FLAG, "service": LATENCY, "response": LATENCY,
        "controls?": COUNT, "overhead?": [ROLE]}
CAUSES = [{"cause": TEXT, "excess_ns": COUNT}]
CULPRITS = [{"name": TEXT, "time_ns": COUNT}]
TAIL = {"measure": TEXT, "threshold_ns": COUNT, "calls": COUNT, "causes": CAUSES,
        "culprits": CULPRITS}
TRACED = {"outcome": TEXT, "explanation?": {"trace": {"complete": FLAG}, "tails": [TAIL]}}
RESULT = {"id": TEXT, "complete": FLAG, "label": TEXT,
          "scenario": {"name": TEXT, "preset": TEXT}, "sink": {"name": TEXT, "label": TEXT},
          "machine": {"fingerprint": TEXT, "os": TEXT, "cpu_model": TEXT},
          "build": {"revision": TEXT}, "summary": [STEP], "trials": [TRIAL], "remarks": REMARKS,
          "traced?": [TRACED]}


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
        """Name of the scenario and, where it says more, of its preset."""
        name, preset = self.data["scenario"]["name"], self.data["scenario"]["preset"]
        preset = pathlib.PurePath(preset).stem
        return f"{name}-{preset}" if preset not in ("", name) else name

    def trials(self, step):
        """The trials of a step, whatever their outcome, in the order they ran."""
        return [trial for trial in self.data["trials"] if trial["step"] == step]

    def histogram(self, latency):
        """The distribution behind a latency of this run."""
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


def load(path):
    """The Run in the file; ResultError when it cannot be read or is not a result."""
    try:
        data = json.loads(path.read_bytes(), parse_constant=_refuse_constant)
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
    if type(version) is not int or not 1 <= version <= NEWEST_VERSION:
        raise ResultError(f"{path}: result version {version!r}, known are 1 to {NEWEST_VERSION}; "
                          "use the plots that came with the program that wrote it")
    fault = fault_of(data, RESULT, "")
    if fault:
        raise ResultError(f"{path}: {fault}; restore the file or run it again")
    return Run(path, data)


def load_all(names):
    """Runs in the files and folders (their *.json), and the names of JSON files in folders that are
    no results. ResultError when a named file or folder cannot be used."""
    runs, others = [], []
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
        if len(runs) == found:
            raise ResultError(f"{path}: no result file in this folder; give the --out folder of a "
                              "run")
    return runs, others


def _refuse_constant(name):
    raise ValueError(f"{name} is not a JSON number")


def fault_of(value, form, where):
    """What keeps `value` from having `form`, or None."""
    if isinstance(form, dict):
        if not isinstance(value, dict):
            return f"{where} is not an object"
        for key, inner in form.items():
            optional, key = key.endswith("?"), key.removesuffix("?")
            place = f"{where}.{key}" if where else key
            if key not in value and optional:
                continue
            if key not in value:
                return f"{place} is missing"
            fault = fault_of(value[key], inner, place)
            if fault:
                return fault
        return None
    if isinstance(form, list):
        if not isinstance(value, list):
            return f"{where} is not a list"
        faults = (fault_of(item, form[0], f"{where}[{i}]") for i, item in enumerate(value))
        return next(filter(None, faults), None)
    return None if _is(value, form) else f"{where} is {str(value)[:40]!r}, not {form}"


def _is(value, kind):
    if kind == TEXT:
        return isinstance(value, str)
    if kind == FLAG:
        return isinstance(value, bool)
    if kind == COUNT:
        return type(value) is int and 0 <= value < 2**64
    if kind == BALANCE:
        return type(value) is int and abs(value) < 2**64
    if kind == NUMBER:
        return type(value) in (int, float) and abs(value) <= 1e18
    return type(value) in (int, float) and (value == 0 or 1e-9 <= value <= 1e18)
