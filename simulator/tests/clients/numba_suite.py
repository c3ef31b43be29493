"""pytest plugin for numba-cuda's own tests, which its wheel carries without their configuration.

Each test's outcome goes to the file $OUTCOMES as soon as it is known; tests that ./exceptions lists are left out.
"""

import os
from pathlib import Path

import pytest

EXCEPTIONS = {
    line.split()[0]
    for line in Path(__file__).with_name("exceptions").read_text().splitlines()
    if line and not line.startswith("#")
}


@pytest.fixture
def initialize_from_pytest_config():
    """What the suite's own configuration sets from its flags: their defaults stand."""


def pytest_collection_modifyitems(config, items):
    left_out = [item for item in items if item.nodeid.split("/tests/")[-1] in EXCEPTIONS]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


def pytest_runtest_logreport(report):
    # A test that skips or fails before its call has no call. Parts of a test (subtests) count with it.
    if type(report).__name__ != "TestReport" or (report.when != "call" and report.passed):
        return
    reason = ""
    if report.failed:
        lines = [line[1:].strip() for line in str(report.longrepr).splitlines() if line.startswith("E ")]
        reason = " | ".join(lines[:2])[:300]
    with open(os.environ["OUTCOMES"], "a") as file:
        file.write(f"{report.outcome}\t{report.nodeid.split('/tests/')[-1]}\t{reason}\n")
