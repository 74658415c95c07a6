"""Counting of the draws that put two items together."""


def count_together(
    const int[:, ::1] cells,
    const int[::1] members,
    const long long[::1] starts,
    Py_ssize_t first,
    int[:, ::1] out,
):
    """Add to out[r, j] the draws that put items first + r and j together, for j >= first + r.

    The other arrays are those of `DrawClusters`.
    """
    cdef Py_ssize_t n_draws = cells.shape[1]
    cdef Py_ssize_t r, d, item, m
    cdef int cell
    cdef int* row
    with nogil:
        for r in range(out.shape[0]):
            item = first + r
            row = &out[r, 0]
            for d in range(n_draws):
                cell = cells[item, d]
                # Members are ascending: read backwards, those above the item come first.
                m = starts[cell + 1] - 1
                while members[m] > item:
                    row[members[m]] += 1
                    m -= 1
                row[item] += 1
