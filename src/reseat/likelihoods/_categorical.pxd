from reseat.likelihoods._record_blocks cimport RecordBlocks


cdef class CategoricalRecords(RecordBlocks):
    """A block shares one distribution of levels in each field, integrated out."""

    cdef readonly bint per_field
    cdef readonly object hyperprior
    cdef object _delta, _mass_array, _tally
    cdef double* delta_of           # of each field
    cdef double* mass               # of each level, delta gamma
