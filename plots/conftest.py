"""Fixtures that the tests of the plots share."""
import argparse
import pathlib

import pytest

import results


@pytest.fixture
def options():
    """The command line's options with their defaults."""
    return argparse.Namespace(rate_hz=None, trial=None, per_trial=False)


@pytest.fixture
def as_runs():
    """Turns result data into Runs, as if loaded from files in a folder each."""
    def make(*data):
        return [results.Run(pathlib.Path(f"folder{number}/result.json"), one)
                for number, one in enumerate(data)]
    return make


@pytest.fixture
def legends():
    """The texts of all of the axes' legends."""
    def find(axes):
        return [text.get_text() for one in axes.get_children() if hasattr(one, "get_texts")
                for text in one.get_texts()]
    return find


@pytest.fixture
def line():
    """Finds the one line of the axes with this label; its points."""
    def find(axes, label):
        [found] = [one for one in axes.lines if one.get_label() == label]
        return [list(map(float, found.get_xdata())), list(map(float, found.get_ydata()))]
    return find
