"""The comparison with TraceEvent's baselines fails for wrong values, of numbers by name as well."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent / "testing"))
import baseline_rules as rules  # noqa: E402

RUNTIME = "Microsoft-Windows-DotNETRuntime/"


@pytest.mark.parametrize("event, name, expected, right, wrong", [
    ("GC/Start", "Reason", "Induced", 1, 0),
    ("GC/SuspendEEStart", "Reason", "SuspendForGC", 1, 6),
    ("Loader/ModuleLoad", "ModuleFlags", "DomainNeutral, Manif...", 9, 8),
    ("Loader/ModuleLoad", "ModuleFlags", "Manifest", 8, 9),
    ("Loader/AssemblyLoad", "AssemblyFlags", "None", 0, 1),
    ("GC/PerHeapHistory", "CompactMechanisms", "compact_high_frag", "0x80000002", "0x80000001"),
    ("GC/PerHeapHistory", "ExpandMechanisms", "not_specified", "0x0", "0x2"),
])
def test_a_number_must_have_the_name(event, name, expected, right, wrong):
    assert rules.explain_value(RUNTIME + event, name, expected, right)
    assert rules.explain_value(RUNTIME + event, name, expected, wrong) is None


def test_a_name_without_a_table_is_not_explained():
    assert rules.explain_value(RUNTIME + "GC/Start", "Count", "One", 1) is None
    assert rules.explain_value(RUNTIME + "GC/Start", "Reason", "5", "Induced") is None
    module = RUNTIME + "Loader/ModuleLoad"
    assert rules.explain_value(module, "ModuleFlags", "None", 1 << 40) is None


def test_a_manifests_names_must_be_those_of_the_number():
    event = RUNTIME + "Loader/AppDomainLoad"
    shown = "Default|Executable|0x10000000"
    assert rules.explain_value(event, "AppDomainFlags", "268435459", shown)
    assert rules.explain_value(event, "AppDomainFlags", "268435457", shown) is None
    assert rules.explain_value(event, "AppDomainFlags", "3", "Default|Other") is None
    keywords = "PerfView/KernelEnableParameters"
    assert rules.explain_value(keywords, "keywords", "Process|Thread|Image...", "Default")
    assert rules.explain_value(keywords, "keywords", "Process|Registry|Ima...", "Default") is None


def test_unequal_numbers_are_not_the_same():
    assert rules.same_value("1,234", 1234)
    assert not rules.same_value("1,234", 1235)
    assert rules.explain_value(RUNTIME + "GC/Start", "Count", "7", 8) is None


def test_a_missing_path_gives_no_file_name():
    event = {"fields": {}, "cpu": 0, "pid": 1, "tid": 2, "length_bytes": 0}
    name = "Microsoft-Windows-DotNETRuntimeRundown/Loader/ModuleDCStop"
    assert rules.derived(name, event, "ModuleILFileName", 1) is None
