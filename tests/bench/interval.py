"""The median of measurements that belong to no known distribution, and how sure it is."""

import fractions
import math
import statistics

CONFIDENCE = fractions.Fraction(95, 100)


def rank(n, confidence=CONFIDENCE):
    """The greatest r for which the values from the r-th smallest to the r-th greatest of n hold the median of what they
    were drawn from with at least this confidence; 0 where n is too small for that.

    Each value is below that median with a chance of one half, so how many are is binomial, and the chance that the
    r-th smallest is above it is that of fewer than r below. The same holds at the other end: the interval misses with
    a chance of 2 * sum(C(n, k) for k < r) / 2^n. There is no other assumption.
    """
    missed, r = 0, 0
    while r < n // 2:
        missed += 2 * math.comb(n, r)
        if fractions.Fraction(missed, 2 ** n) > 1 - confidence:
            break
        r += 1
    return r


def median(values, confidence=CONFIDENCE):
    """The median of values, and the ends of its interval."""
    values = sorted(values)
    r = rank(len(values), confidence)
    if r == 0:
        raise ValueError('%d values are too few for an interval' % len(values))
    return statistics.median(values), values[r - 1], values[-r]
