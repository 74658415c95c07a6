from reseat.likelihoods._record_blocks cimport RecordBlocks


cdef class CategoricalRecords(RecordBlocks):
    """Blocks with one distribution of levels per field, integrated out."""

    cdef readonly bint per_field
    cdef readonly object hyperprior
    cdef object _delta, _mass_array, _tally, _log_mass_array, _log_total_array
    cdef double* delta_of           # concentration of each field
    cdef double* mass               # delta gamma of each level
    cdef double* log_mass           # (level, m): log(delta gamma + m)
    cdef double* log_total          # (field, n): log(delta + n)

    cdef double _predictive_of_many(self, int* row) noexcept nogil
