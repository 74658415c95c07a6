from numpy.random cimport bitgen_t

from reseat.likelihoods._likelihood cimport SlotwiseLikelihood


cdef class StudentSums(SlotwiseLikelihood):
    cdef public double pull, kappa
    cdef int q
    cdef object _tables, _point_array, _weight_array, _constant_array, _label_array
    cdef object _size_array, _mass_array, _log_det_array, _mean_array, _inverse_array
    cdef object _factor_array, _sum_array, _scatter_array, _common_array, _work_array
    cdef double* point              # [item][coordinate]
    cdef double* weight             # [item]
    cdef double* constant           # [item] what its log density has in every block
    cdef int* labels                # [item] its slot
    cdef const double* half         # [n] log gamma function of (pull + 2 + n) / 2
    cdef const double* gamma        # [n] log multivariate gamma function of (degrees + n) / 2
    # the blocks, with one row more than there are slots, which always is that of an empty block
    cdef double* mass               # [slot] sum of weights
    cdef double* log_det            # [slot] log determinant of the posterior scatter
    cdef double* mean               # [slot][coordinate] posterior mean
    cdef double* inverse            # [slot][coordinate] one over the diagonal of the factor
    cdef double* factor             # [slot][coordinate][coordinate] of the posterior scatter
    cdef double* centre             # [slot][coordinate] weighted mean, as last summed up
    cdef double* scatter            # [slot][coordinate][coordinate] about it
    cdef double* common             # [coordinate][coordinate] the common covariance
    cdef double* work               # buffers of one point and of one matrix
    # the missing cells
    cdef object _gaps, _incomplete, _generator
    cdef const double* change       # [missing cell][coordinate]
    cdef const Py_ssize_t* first    # [item] its first missing cell, if it has any
    cdef const int* n_gaps          # [item] how many it has
    cdef Py_ssize_t open_item       # the item that a sweep has scored without its missing cells
    cdef bitgen_t* source           # the generator of the sweep

    cdef void accumulate(self) noexcept nogil
    cdef void posterior(
        self, Py_ssize_t slot, double pull, double kappa, double* matrix
    ) noexcept nogil
    cdef void build(self, Py_ssize_t slot) noexcept nogil
    cdef void leave(self, Py_ssize_t item, Py_ssize_t slot) noexcept nogil
    cdef void join(self, Py_ssize_t item, Py_ssize_t slot) noexcept nogil
    cdef void copy_empty(self, Py_ssize_t slot) noexcept nogil
    cdef void shift(self, Py_ssize_t item, Py_ssize_t slot, double sign) noexcept nogil
    cdef double fit_gaps(self, Py_ssize_t item, Py_ssize_t slot) noexcept nogil
    cdef double fit_cells(self, int n, double w) noexcept nogil
    cdef double score_gaps(self, Py_ssize_t item, Py_ssize_t slot) noexcept nogil
    cdef void draw_gaps(self, Py_ssize_t item, Py_ssize_t slot) noexcept nogil
    cdef void add_cells(self, Py_ssize_t item) noexcept nogil
    cdef void draw_missing(self, bitgen_t* rng) noexcept nogil
