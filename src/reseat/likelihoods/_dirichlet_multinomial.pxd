from reseat.likelihoods._likelihood cimport Likelihood


cdef class TermIndex:
    """The non-zeros of a count matrix, as references to its distinct (feature, count) pairs."""

    cdef readonly Py_ssize_t n_items, n_features, n_terms, n_nonzeros
    cdef readonly long long n_tokens, max_feature_total
    cdef object _indptr, _terms, _term_feature, _term_count, _feature_terms, _length, _tables
    cdef object _feature_total
    cdef long long* indptr          # [n_items + 1] first non-zero of each item
    cdef int* terms                 # [n_nonzeros] term of each non-zero
    cdef int* term_feature          # [n_terms] feature of each term
    cdef int* term_count            # [n_terms] count of each term
    cdef int* feature_terms         # [n_features + 1] first term of each feature
    cdef long long* length          # [n_items] tokens of each item


cdef class DirichletMultinomial(Likelihood):
    """Items are bags of counts; the items of a block share one multinomial."""

    cdef readonly TermIndex index
    cdef double _beta
    cdef Py_ssize_t stride, short_stride
    cdef int crowded, waiting       # see weigh
    cdef object _count_array, _total_array, _gain_array, _normaliser_array
    cdef object _log_gamma_feature, _log_gamma_total, _empty_array
    cdef object _deficit_array, _sum_array, _summit_array, _ceiling_array
    cdef int* counts                # [n_features, stride] tokens of a feature in a block
    cdef long long* totals          # [stride] tokens in a block
    cdef double* gain               # [n_terms, stride] log rising factorial, see score
    cdef unsigned char* deficit     # [n_terms, short_stride] steps below summit, or NULL
    cdef unsigned int* sums         # [short_stride] buffer for sums of deficits
    cdef double* summit             # [n_terms] greatest gain that a term can have
    cdef double* ceiling            # [n_items] sum of the summits of its terms
    cdef double* normaliser         # [stride] log Gamma(V beta + total)
    cdef double* log_gamma_feature  # [n] log Gamma(beta + n)
    cdef double* log_gamma_total    # [n] log Gamma(V beta + n)
    cdef double* empty              # [n_items] log predictive in an empty block

    cdef void _patch(self, Py_ssize_t feature, Py_ssize_t slot) noexcept nogil
    cdef double _score_slot(self, Py_ssize_t item, Py_ssize_t slot) noexcept nogil
    cdef void _add_deficits(
        self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t n_slots
    ) noexcept nogil
    cdef double _screen(
        self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t n_slots, double power,
        const double* prior, double* weight
    ) noexcept nogil
