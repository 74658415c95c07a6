"""Lengths of the longest common substrings of many pairs of strings."""

import numpy as np

from libc.stdlib cimport free, malloc
from libc.string cimport memset


cdef short longest(
    const short* one, Py_ssize_t n_one, const short* two, Py_ssize_t n_two,
    short* above, short* here, short* best,
) noexcept nogil:
    # here[j + 1] is the length of the longest common suffix of the strings up to the letters i
    # and j; `above` holds the same for the letter before i.  Each letter of `two` keeps its own
    # best run, so that the inner loop has no loop-carried dependency.
    cdef Py_ssize_t i, j
    cdef short letter, run, found = 0
    cdef short* swapped
    memset(above, 0, (n_two + 1) * sizeof(short))
    memset(best, 0, n_two * sizeof(short))
    here[0] = 0
    for i in range(n_one):
        letter = one[i]
        for j in range(n_two):
            run = (above[j] + 1) & -<short>(two[j] == letter)
            here[j + 1] = run
            best[j] = run if run > best[j] else best[j]
        swapped = above
        above = here
        here = swapped
    for j in range(n_two):
        if best[j] > found:
            found = best[j]
    return found


def common_substrings(
    const short[::1] letters,
    const long long[::1] starts,
    const long long[::1] first,
    const long long[::1] second,
    short[::1] out,
):
    """Write the length of the longest common substring of each pair into `out`.

    Every pair of letters is compared, row by row of the table of common suffix lengths. `letters`
    has all strings, one after another, and `starts` where each begins and the last one ends.
    """
    cdef Py_ssize_t longest_string = int(np.max(np.diff(starts), initial=0)) + 1
    cdef short* rows = <short*>malloc(3 * longest_string * sizeof(short))
    cdef Py_ssize_t n
    cdef long long a, b
    if rows == NULL:
        raise MemoryError
    with nogil:
        for n in range(out.shape[0]):
            a, b = starts[first[n]], starts[second[n]]
            out[n] = longest(
                &letters[0] + a, starts[first[n] + 1] - a,
                &letters[0] + b, starts[second[n] + 1] - b,
                rows, rows + longest_string, rows + 2 * longest_string,
            )
    free(rows)
