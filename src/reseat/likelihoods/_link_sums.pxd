cdef class LinkSums:
    """What each item was observed to have with the blocks of the other type."""

    cdef readonly Py_ssize_t n_blocks   # slots of the other type
    cdef object _arrays
    cdef const long long* size          # [block] entities of the other type
    cdef const long long* starts        # [n_items + 1] where the entries of an item begin in
    cdef const int* block               # a block it has cells in, in ascending order,
    cdef const long long* count         # its links with that block,
    cdef const long long* known         # and the cells there that are links or held out
