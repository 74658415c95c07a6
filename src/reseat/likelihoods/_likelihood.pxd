from reseat.members cimport Members


cdef class Likelihood:
    cdef readonly Py_ssize_t n_items
    cdef readonly Py_ssize_t n_tied     # further items, which move together with others
    cdef readonly Py_ssize_t capacity
    cdef public object entered      # partition of the model that assigned it last, or None
    cdef unsigned long long stamp   # that of the partition of the statistics, 0 if it is unknown
    cdef Members members            # of the blocks, if the statistics include them, or None
    cdef object _buffer
    cdef double* scratch            # buffer for the scores of all slots

    cdef int reserve(self) except -1

    cdef void score(
        self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t n_slots, double* out
    ) noexcept nogil
    cdef double score_block(self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t slot) noexcept nogil
    cdef double weigh(
        self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t n_slots, double power,
        const double* prior, double* weight
    ) noexcept nogil
    cdef void weigh_slots(
        self, Py_ssize_t item, Py_ssize_t own, const int* slots, Py_ssize_t n_slots,
        double* weight
    ) noexcept nogil
    cdef void prefetch_item(self, Py_ssize_t item) noexcept nogil
    cdef void move(self, Py_ssize_t item, Py_ssize_t source, Py_ssize_t target) noexcept nogil


cdef class SlotwiseLikelihood(Likelihood):
    cdef int* sizes     # [slot]
