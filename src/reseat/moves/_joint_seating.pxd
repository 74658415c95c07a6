from reseat.likelihoods._mean_blocks cimport MeanBlocks
from reseat.moves._seating cimport Seating


cdef class JointSeating:
    """Who sits where in two partitions of the references, into publications and into types."""

    cdef Seating blocks, kinds
    cdef MeanBlocks means
    cdef bint opens             # whether an item can be scored in a publication of its own
    cdef object _held           # keeps the memory alive
    # types in use; joint moves neither open nor close one
    cdef Py_ssize_t n_kinds
    cdef int* kind              # [place] its slot
    cdef int* place_of          # [slot] its place
    cdef int* others            # [place] members, those apart whose types are looked for
    cdef double* kind_weight    # [place] log prior weight
    # publications that an item may go to
    cdef int* slots             # [candidate] -1 is a new one
    cdef double* seat_weight    # [candidate] log prior weight
    cdef double* weight         # [candidate][place] log weight of both
    cdef double* squares        # [feature] squared residuals of an item

    cdef double weigh(
        self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t n_slots, Py_ssize_t near
    ) noexcept nogil

    cdef void _weigh_kinds(self, Py_ssize_t here) noexcept nogil
    cdef double _sum_weights(self, Py_ssize_t n, double best) noexcept nogil
