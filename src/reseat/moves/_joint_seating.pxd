from numpy.random cimport bitgen_t

from reseat.likelihoods._mean_blocks cimport MeanBlocks
from reseat.moves._seating cimport Run, Seating


cdef class JointSeating(Run):
    cdef Seating blocks, kinds
    cdef MeanBlocks means       # the likelihood, or one with the means integrated out
    cdef MeanBlocks held        # the likelihood itself, which may hold means
    cdef bint opens             # whether an item can be scored in a publication of its own
    cdef object publications, types, _held      # the last keeps the memory alive
    # The types in use, each of which has a place; joint moves neither open nor close a type.
    cdef Py_ssize_t n_kinds
    cdef int* kind              # [place] slot of the type
    cdef int* place_of          # [slot] place of the type
    cdef int* others            # [place] members, without items whose types are being drawn
    cdef double* kind_weight    # [place] log prior weight
    # The publications that an item may go to.
    cdef int* slots             # [candidate] slot, or -1 for a new publication
    cdef double* seat_weight    # [candidate] log prior weight
    cdef double* weight         # [candidate][place] log weight of the combination
    cdef double* squares        # [feature] squared residuals of an item

    cdef double weigh(
        self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t n_slots, Py_ssize_t near
    ) noexcept nogil

    cdef void _weigh_kinds(self, Py_ssize_t here) noexcept nogil
    cdef bint accept(
        self, Py_ssize_t item, Py_ssize_t[2] lost, Py_ssize_t[2] gained, double log_ratio,
        bitgen_t* rng,
    ) noexcept nogil
    cdef double _sum_weights(self, Py_ssize_t n, double best) noexcept nogil
    cdef void take_types_out(self, const int* items, Py_ssize_t n) noexcept nogil
    cdef void add_item(self, int item, Py_ssize_t slot, Py_ssize_t place) noexcept nogil
    cdef void put_back(self, int item, Py_ssize_t slot) noexcept nogil
    cdef void commit_type(self, int item, Py_ssize_t place) noexcept nogil
    cdef inline Py_ssize_t place(self, Py_ssize_t item) noexcept nogil:
        """Return the place of the type of an item."""
        return self.place_of[self.kinds.partition.labels[item]]
