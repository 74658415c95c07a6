"""Labels that will be used as places in memory."""


cdef inline int check_labels(
    const int[::1] labels, Py_ssize_t n_items, Py_ssize_t n_slots
) except -1:
    """Raise DataError unless there is one of `n_slots` labels for each item."""
    from reseat.errors import DataError

    cdef Py_ssize_t item
    if labels.shape[0] != n_items:
        raise DataError(f"{labels.shape[0]} labels were given for {n_items} items.")
    for item in range(n_items):
        if not 0 <= labels[item] < n_slots:
            raise DataError(
                f"Item {item} has the label {labels[item]}, but there are {n_slots} slots."
            )
    return 0
