"""pytest on a simulated GPU.

    pytest --sim                    tests that use CUDA run where there is no GPU
    pytest --sim-card h200          the same on a simulated H200
    pytest --sim-sanitize           a race, a stray access or an unwritten value fails the test that caused it

`@pytest.mark.needs_machine_code("why")` skips a test under the simulator, which runs PTX alone. What was found is the reason for
which its test fails, so `--junitxml` has it as well. So is a kernel that failed, whatever the test looked at, and work that was refused; `@pytest.mark.provokes_fault`
is for a test that wants it to.
"""

import ctypes
import json
import os
import sys
from pathlib import Path

import pytest
from _pytest._code.code import ReprFileLocation

from . import program

MARKER, FAULT_MARKER = "needs_machine_code", "provokes_fault"
# `sim` names its folders by these; the driver of each process writes a file there.
FINDINGS, REFUSALS = "LABS_SIM_JOURNAL", "LABS_SIM_REFUSALS"


def pytest_addoption(parser):
    group = parser.getgroup("sim", "a simulated GPU")
    group.addoption("--sim", action="store_true", help="run on a simulated GPU, also where there is none")
    group.addoption("--sim-card", metavar="NAME", help="--sim with this card, such as h200, or a file that describes one")
    group.addoption("--sim-sanitize", action="store_true", help="--sim, and each finding of the sanitizer fails its test")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config, parser, args):
    # Before anything of the tests is imported, and before the output is captured: the process becomes pytest under `sim`.
    asked = early_config.known_args_namespace
    if (asked.sim or asked.sim_card or asked.sim_sanitize) and REFUSALS not in os.environ:
        flags = (["--card", asked.sim_card] if asked.sim_card else []) + (["--sanitize"] if asked.sim_sanitize else [])
        words = [str(word) for word in early_config.invocation_params.args]
        sys.stdout.flush()
        os.execv(program(), ["sim", *flags, "--", sys.executable, "-m", "pytest", *words])
    return (yield)


def pytest_configure(config):
    config.addinivalue_line("markers", f"{MARKER}(reason): skipped under the simulator, which runs PTX and no machine code")
    config.addinivalue_line("markers", f"{FAULT_MARKER}: a kernel fails in it on purpose, which is no fault of the test's under the simulator")
    if REFUSALS in os.environ:
        config.pluginmanager.register(UnderSim(), "sim-tests")


class Found:
    """What a test fails for: the first line of the first finding for pytest's summary, behind the test's own failure where it has one."""

    def __init__(self, item, found, text, own):
        path, line, _ = item.location
        first = found[0].splitlines()[0]
        crash = getattr(own, "reprcrash", None)
        message = f"{crash.message.splitlines()[0]}; {first}" if crash else first
        self.text, self.own, self.reprcrash = text, own, ReprFileLocation(path, (line or 0) + 1, message)

    def toterminal(self, writer):
        if self.own is not None:
            self.own.toterminal(writer) if hasattr(self.own, "toterminal") else writer.line(str(self.own))
            writer.line("")
        writer.line(self.text)

    def __str__(self):
        return f"{self.own}\n\n{self.text}" if self.own is not None else self.text


class UnderSim:
    """Tells each test what the driver found and refused while it ran."""

    def __init__(self):
        # With pytest-xdist each worker has tests of its own, and a file of its own; else what a test starts counts as well.
        self.all_processes = "PYTEST_XDIST_WORKER" not in os.environ
        self.read = {}
        self.refused = []

    def pytest_report_header(self):
        return f"sim: simulated GPU{', with the sanitizer' if FINDINGS in os.environ else ''}"

    def pytest_collection_modifyitems(self, items):
        for item in items:
            for marker in item.iter_markers(MARKER):
                reason = marker.args[0] if marker.args else marker.kwargs.get("reason", "it needs machine code")
                item.add_marker(pytest.mark.skip(reason=f"under sim: {reason}"))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        finish()
        noted = self.entries(REFUSALS)
        handled = {(entry["process"], entry["handled"]) for entry in noted if "handled" in entry}
        refused = [(entry["process"], entry["refused"]) for entry in noted if "refused" in entry]
        refused = [entry["why"] for process, entry in refused if entry["is_work"] and (process, entry["number"]) not in handled]
        refused += {entry["again"]: None for entry in noted if "again" in entry and entry["again"] not in refused}
        self.refused += [(item.nodeid, why) for why in refused]
        refused = [] if os.environ.get("LABS_SIM_ALLOW_REFUSED") == "1" else [f"refused, so what depends on it was not computed: {why}" for why in refused]
        found = [entry["finding"]["message"] for entry in self.entries(FINDINGS) if "finding" in entry]
        faults = [entry["fault"] for entry in noted if "fault" in entry]
        # An impossible launch is an exception here, which the test has handled if it goes on.
        provoked = {fault["why"] for fault in faults if fault["is_launch"] or item.get_closest_marker(FAULT_MARKER) or os.environ.get("LABS_SIM_ALLOW_FAULTS") == "1"}
        for why in provoked:
            with open(Path(os.environ[REFUSALS], f"expected-{os.getpid()}"), "a") as file:
                file.write(json.dumps({"expected": why}) + "\n")
        faults = [fault["why"] for fault in faults if fault["why"] not in found]
        found = [why for why in found + faults if why not in provoked] + refused
        if found and not report.skipped:
            number = "1 finding" if len(found) == 1 else f"{len(found)} findings"
            text = f"sim: {number} in {item.nodeid}\n\n" + "\n\n".join(found)
            report.longrepr = Found(item, found, text, report.longrepr if report.failed else None)
            report.outcome = "failed"
            # `sim` then only counts them at its end.
            Path(os.environ[REFUSALS], f"told-{os.getpid()}").write_text('{"told": true}\n')
        return report

    def pytest_terminal_summary(self, terminalreporter):
        if self.refused:
            terminalreporter.section("sim: refused")
            for test, why in self.refused:
                terminalreporter.write_line(f"{test}: {why.splitlines()[0]}")
            terminalreporter.write_line(f"next: --sim-card with a card that a line names, or @pytest.mark.{MARKER} on a test whose kernels have no PTX")

    def entries(self, variable):
        """What the driver has written since the last call."""
        folder = os.environ.get(variable)
        if not folder:
            return []
        files = Path(folder).iterdir() if self.all_processes else [Path(folder, str(os.getpid()))]
        entries = []
        for path in sorted(file for file in files if file.is_file()):
            with open(path, "rb") as file:
                file.seek(self.read.get(path, 0))
                # A line that is not whole yet is the next call's.
                whole = file.read().rpartition(b"\n")
                self.read[path] = self.read.get(path, 0) + len(whole[0]) + len(whole[1])
                entries += [{"process": path.name, **json.loads(line)} for line in whole[0].splitlines()]
        return entries


def finish():
    """Waits for the kernels of the test, which would else be done, and told of, during a later one."""
    try:
        driver = ctypes.CDLL("libcuda.so.1", mode=os.RTLD_NOLOAD | os.RTLD_NOW)
    except OSError:
        return  # Nobody has used it yet.
    driver.cuCtxSynchronize()
