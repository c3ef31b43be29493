#!/usr/bin/env python3
"""Writes `directions.bits`: the initial direction numbers of Joe and Kuo's new-joe-kuo-6.21201 for the 20000 dimensions that cuRAND has.

    simulator/math/tables/directions.py PATH/OF/_sobol_direction_numbers.npz > simulator/math/tables/directions.bits

SciPy's wheel carries the numbers as scipy/stats/_sobol_direction_numbers.npz; the script needs NumPy. For each dimension from the second on there are 8
bits, half of the difference between its polynomial and the one before it, and then for k = 1, 2, … k bits of its number k + 1 without the lowest
bit, which is one. Bits begin with the lowest of a byte. The licence of the numbers is in `NOTICE` beside this file.
"""

import sys

import numpy

DIMENSIONS = 20000


def main():
    stored = numpy.load(sys.argv[1])
    last = 1
    words = []
    for polynomial, numbers in zip(stored["poly"][1:DIMENSIONS], stored["vinit"][1:DIMENSIONS]):
        polynomial, step = int(polynomial), (int(polynomial) - last) // 2
        assert 0 <= step < 256 and numbers[0] == 1
        words.append((step, 8))
        last = polynomial
        for k in range(1, polynomial.bit_length() - 1):
            words.append((int(numbers[k]) >> 1, k))
    whole = "".join(format(word, f"0{width}b")[::-1] for word, width in words)
    whole += "0" * (-len(whole) % 8)
    sys.stdout.buffer.write(bytes(int(whole[i : i + 8][::-1], 2) for i in range(0, len(whole), 8)))


main()
