cdef class LinkSums:
    """Observed links of each item with the blocks of the other type."""

    cdef readonly Py_ssize_t n_blocks   # slots of the other type
    cdef object _arrays
    cdef const long long* size          # [block] non-links of an item without a cell there
    cdef const long long* starts        # [n_items + 1] first entry of each item
    cdef const int* block               # [entry] a block that the item has cells in, ascending
    cdef const long long* count         # [entry] links of the item with that block
    cdef const long long* known         # [entry] by how many its own are fewer
