from numpy.random cimport bitgen_t

from reseat.likelihoods._student_sums cimport StudentSums


cdef class StudentGaps(StudentSums):
    """Blocks of weighted points, some of which have missing cells."""

    cdef object _cell_array, _change_array, _first_array, _generator
    cdef Py_ssize_t n_missing
    cdef const Py_ssize_t* cell     # [missing cell] its item
    cdef const double* change       # [missing cell][coordinate]
    cdef const Py_ssize_t* first    # [item] its first missing cell, -1 if it has none
    cdef Py_ssize_t open_item       # the item that a sweep has scored without its missing cells
    cdef bitgen_t* source           # the generator of the sweep

    cdef int fit_gaps(
        self, Py_ssize_t item, Py_ssize_t slot, double* least, double* share
    ) noexcept nogil
    cdef double score_gaps(self, Py_ssize_t item, Py_ssize_t slot) noexcept nogil
    cdef void draw_gaps(self, Py_ssize_t item, Py_ssize_t slot) noexcept nogil
    cdef void add_cells(
        self, Py_ssize_t item, Py_ssize_t first, int n, const double* matrix,
        const double* inverse, double* value
    ) noexcept nogil
    cdef void draw_missing(self, bitgen_t* rng) noexcept nogil
