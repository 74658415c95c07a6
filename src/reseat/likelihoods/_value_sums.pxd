from numpy.random cimport bitgen_t

cimport cython

from reseat.likelihoods._record_index cimport RecordIndex
from reseat.likelihoods._similarity_index cimport SimilarityIndex


cdef struct Level:
    double gamma            # probability of a value
    double log_gamma
    double inverse_total    # 1 / Z
    double beside           # S, for two different values (see the head of the .pyx file)
    double twice            # T, for two equal values
    double weight           # factor, or its log, in the current sum over true values
    long long seen          # number of the last sum that it was in
    unsigned long long marks    # bits that stand for it and for all values near it


cdef struct CachedValue:
    long long version       # version of the parameters of the field
    unsigned long long one, other   # the values, or a hash of them if there are many
    double value            # their log probability


@cython.final
cdef class ValueSums:
    cdef SimilarityIndex similarity
    cdef RecordIndex index
    cdef Py_ssize_t n_sources
    cdef object _tables, _gains, _log_total_array, _level_array
    cdef object _log_factors        # of each field, greatest absolute logarithm of a factor
    cdef bint tame                  # whether products of a few factors stay in range
    cdef bint mild                  # whether, in addition, every R is at least 1
    cdef int* source                # source of each item
    cdef double* log_wrong          # (source, field): log(beta)
    cdef double* right              # (source, field): (1 - beta) / beta
    cdef double* log_right
    cdef double* mass_of_few        # (field, n): M_n of all values
    cdef double* least_right        # of each field, greatest gamma / Z, below which R < 1
    cdef double* log_mass           # (field, n): log M_n of rare values, 0 until it is computed
    cdef Py_ssize_t* n_asked        # of each field, the greatest n that was computed
    cdef double* gain               # G of each neighbour
    cdef double* log_gain
    cdef double* log_total          # log Z of each level
    cdef double* least_total        # least log Z of each field
    cdef double* cumulative         # of each level, cumulative sum of gamma in its field
    cdef Level* levels              # what a sum over true values reads, stored together
    cdef CachedValue* cached        # log probabilities of a few values, by hash
    cdef unsigned long long last_place
    cdef long long n_versions
    cdef long long* version         # version of the parameters of each field
    cdef int* cells                 # values of a block in a field, level * n_sources + source
    cdef int* touched               # levels in the current sum
    cdef Py_ssize_t n_touched
    cdef long long round            # number of the current sum

    cdef inline Py_ssize_t enter(self, Py_ssize_t n, int level, Py_ssize_t item) noexcept nogil:
        """Add the level of a record, if it is known, to `n` listed ones; return their number."""
        if level < 0:
            return n
        self.cells[n] = level
        if self.n_sources > 1:
            self.cells[n] = <int> (level * self.n_sources + self.source[item])
        return n + 1

    cdef inline int level_of(self, int cell) noexcept nogil:
        return cell if self.n_sources == 1 else <int> (cell // self.n_sources)

    cdef inline Py_ssize_t place_of(self, Py_ssize_t field, int cell) noexcept nogil:
        """Return where the parameters of a field for the source of a value are stored."""
        return field if self.n_sources == 1 else cell % self.n_sources * self.index.n_fields + field

    cdef double log_values(self, Py_ssize_t field, Py_ssize_t n) noexcept nogil
    cdef double log_gain_of(self, Py_ssize_t level, Py_ssize_t other) noexcept nogil
    cdef Py_ssize_t draw_true(self, Py_ssize_t field, Py_ssize_t n, bitgen_t* rng) noexcept nogil
    cdef void _sum_near(self, Py_ssize_t field) noexcept nogil
    cdef bint _is_long(self) noexcept nogil
    cdef double _log_two(self, Py_ssize_t field) noexcept nogil
    cdef double _sum_shared(
        self, double right, Level* one, double other_right, Level* other
    ) noexcept nogil
    cdef double _log_cached(self, Py_ssize_t field, Py_ssize_t n) noexcept nogil
    cdef double _log_afresh(self, Py_ssize_t field, Py_ssize_t n) noexcept nogil
    cdef Py_ssize_t _begin(self, Py_ssize_t field, double neutral) noexcept nogil
    cdef Level* _enlist(self, int level, double neutral) noexcept nogil
    cdef double _log_few(self, Py_ssize_t field, Py_ssize_t n) noexcept nogil
    cdef double _sum_mild(self, Py_ssize_t field, Py_ssize_t n) noexcept nogil
    cdef void _multiply(self, Py_ssize_t field, Py_ssize_t n) noexcept nogil
    cdef double _log_many(self, Py_ssize_t field, Py_ssize_t n) noexcept nogil
    cdef double _log_mass_of(self, Py_ssize_t field, Py_ssize_t n) noexcept nogil
    cdef Py_ssize_t _draw_mild(self, Py_ssize_t field, Py_ssize_t n, bitgen_t* rng) noexcept nogil
    cdef Py_ssize_t _draw_other(
        self, Py_ssize_t field, Py_ssize_t n, Py_ssize_t default, bitgen_t* rng
    ) noexcept nogil
    cdef bint _is_other(self, Py_ssize_t level) noexcept nogil
    cdef double _share_of_other(
        self, Py_ssize_t field, Py_ssize_t n, Py_ssize_t level
    ) noexcept nogil
