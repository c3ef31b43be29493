"""What the files of programs share: each function named `check_…` is one program; its name and outcome are printed.

A program passes if it returns; `equal` compares with NumPy's answer.
"""

import sys
import time
import traceback

import numpy as np


def equal(got, want, tolerance=1e-5):
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape, (got.shape, want.shape)
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


def run(client, names):
    wanted = set(sys.argv[1:])
    passed, failed, begin = 0, 0, time.monotonic()
    for name, program in list(names.items()):
        if not name.startswith("check_") or (wanted and name[6:] not in wanted):
            continue
        try:
            program()
            passed += 1
        except BaseException:
            failed += 1
            print(f"{client}: {name[6:]} failed\n{traceback.format_exc()}")
    print(f"{client}: {passed} passed, {failed} failed, {time.monotonic() - begin:.1f} s")
    sys.exit(failed > 0)
