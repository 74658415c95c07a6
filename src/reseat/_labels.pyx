"""Loops over label arrays that each sweep runs several times, without intermediate arrays."""

import numpy as np


def lie_below(const int[::1] labels, Py_ssize_t bound):
    """Return whether every label is at least 0 and less than `bound`."""
    cdef Py_ssize_t item
    cdef bint fine = True
    with nogil:
        for item in range(labels.shape[0]):
            fine &= 0 <= labels[item] < bound
    return fine


def by_appearance(const long long[::1] labels, Py_ssize_t bound):
    """Number labels 0, 1, ... in the order in which they first appear."""
    cdef long long[::1] number = np.full(bound, -1, dtype=np.int64)
    cdef long long[::1] codes = np.empty(labels.shape[0], dtype=np.int64)
    cdef Py_ssize_t item
    cdef long long n_labels = 0
    with nogil:
        for item in range(labels.shape[0]):
            if number[labels[item]] < 0:
                number[labels[item]] = n_labels
                n_labels += 1
            codes[item] = number[labels[item]]
    return np.asarray(codes), n_labels


def in_order(const long long[::1] labels, Py_ssize_t bound):
    """Return ``numpy.argsort(labels, kind="stable")``, in linear time by counting."""
    cdef long long[::1] place = np.zeros(bound + 1, dtype=np.int64)
    cdef long long[::1] order = np.empty(labels.shape[0], dtype=np.int64)
    cdef Py_ssize_t item, label
    with nogil:
        for item in range(labels.shape[0]):
            place[labels[item] + 1] += 1
        for label in range(bound):
            place[label + 1] += place[label]
        for item in range(labels.shape[0]):
            order[place[labels[item]]] = item
            place[labels[item]] += 1
    return np.asarray(order)


def sizes_by_group(const int[::1] labels, const Py_ssize_t[::1] groups, Py_ssize_t n_groups):
    """Return the block sizes of each group of items, which must have no block in common."""
    cdef Py_ssize_t item, slot, n_slots = 0, group
    cdef int[::1] sizes, found
    cdef Py_ssize_t[::1] owner, ends
    cdef bint apart = True
    for item in range(labels.shape[0]):
        n_slots = max(n_slots, labels[item] + 1)
    sizes, owner = np.zeros(n_slots, dtype=np.intc), np.zeros(n_slots, dtype=np.intp)
    ends = np.zeros(n_groups + 1, dtype=np.intp)
    for item in range(labels.shape[0]):
        slot = labels[item]
        if sizes[slot] == 0:
            owner[slot] = groups[item]
            ends[groups[item] + 1] += 1
        apart &= owner[slot] == groups[item]
        sizes[slot] += 1
    if not apart:
        raise ValueError("A block has items of two groups; the moves must keep them apart.")
    for group in range(n_groups):
        ends[group + 1] += ends[group]
    starts = np.array(ends)
    found = np.empty(ends[n_groups], dtype=np.intc)
    for slot in range(n_slots):
        if sizes[slot] > 0:
            found[ends[owner[slot]]] = sizes[slot]
            ends[owner[slot]] += 1
    whole, starts = np.asarray(found), starts.tolist()
    return [whole[starts[group]:starts[group + 1]] for group in range(n_groups)]
