from reseat.likelihoods._likelihood cimport Likelihood
from reseat.partition cimport Partition
from reseat.priors._prior cimport PartitionPrior


cdef class Seating:
    cdef Partition partition
    cdef PartitionPrior prior
    cdef Likelihood likelihood
    cdef Py_ssize_t n_groups, n_moved
    cdef object _held           # keeps the memory alive
    cdef const int* group_of    # [item]
    cdef int* n_blocks          # [group]
    cdef Py_ssize_t* begin      # [group] where its slots begin
    cdef int* slots             # occupied slots, ascending within a group
    cdef bint listing           # whether `slots` is kept up to date; without it, moves are faster

    cdef inline int* of(self, Py_ssize_t group) noexcept nogil:
        return self.slots + self.begin[group]
    cdef double weigh(self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t slot) noexcept nogil
    cdef void notify_removed(self, Py_ssize_t own) noexcept nogil
    cdef void notify_added(self, Py_ssize_t own, Py_ssize_t target) noexcept nogil
    cdef void move(self, Py_ssize_t item, Py_ssize_t target) noexcept nogil
    cdef void relabel(self, Py_ssize_t item, Py_ssize_t target) noexcept nogil
    cdef void open(self, Py_ssize_t group, Py_ssize_t slot) noexcept nogil
    cdef void close(self, Py_ssize_t group, Py_ssize_t slot) noexcept nogil
