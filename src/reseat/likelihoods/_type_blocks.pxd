from numpy.random cimport bitgen_t

from reseat.likelihoods._likelihood cimport SlotwiseLikelihood
from reseat.likelihoods._log_bessel cimport BesselTable
from reseat.likelihoods._precision_law cimport Precision, PrecisionLaw


cdef class TypeBlocks(SlotwiseLikelihood):
    """Blocks of references, each with a precision per feature, given the mean of every item."""

    cdef readonly object data
    cdef readonly PrecisionLaw law
    cdef readonly bint held
    cdef int n_features
    cdef object _arrays, _groups, _pairs, _law_array, _size_array, _precision_array
    cdef object _residual_array
    cdef const int* starts          # [feature + 1]
    cdef double* residual           # [item][feature] squared distance from its mean
    cdef Precision* laws            # [feature]
    cdef double fresh               # part of the score of a new block common to all items
    cdef double* posterior_shape    # [feature] posterior shape of the precision in a new block
    cdef const BesselTable** bessel     # [feature] table for the normaliser of a new block, or NULL
    cdef double* precision          # [slot][feature] as last drawn

    cdef double _score_new(self, Py_ssize_t item) noexcept nogil
    cdef void _draw(
        self, const double* squares, Py_ssize_t n, double* precision, bitgen_t* rng
    ) noexcept nogil
