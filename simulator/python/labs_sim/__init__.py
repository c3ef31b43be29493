"""CUDA programs on a simulated GPU: `sim COMMAND`. In a wheel the program and the libraries lie beside this file."""

import os
import shutil
import sys


def program():
    """The path of `sim`: beside this file, or where the shell finds it."""
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sim")
    found = beside if os.path.exists(beside) else shutil.which("sim")
    if found is None:
        sys.exit("sim: the program is not there\n  next: pip install --force-reinstall labs-sim")
    return found


def main():
    """Becomes `sim`."""
    os.execv(program(), ["sim", *sys.argv[1:]])
