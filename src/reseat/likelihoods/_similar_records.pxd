cimport cython
from numpy.random cimport bitgen_t

from reseat.likelihoods._record_blocks cimport RecordBlocks
from reseat.likelihoods._similarity_index cimport SimilarityIndex


cdef struct Kept:
    long long version       # version of the parameters of the field
    int[4] cells            # values, -1 where there is none
    double value            # their log probability


cdef struct Pair:
    long long version       # version of all parameters
    int one, other          # records, the lower one first
    double value            # log marginal of their block


cdef struct Level:
    double gamma            # probability of a value
    double log_gamma
    double inverse_total    # 1 / Z
    double beside           # S, for two different values (see the head of the .pyx file)
    double twice            # T, for two equal values
    double weight           # factor, or its log, in the current sum over true values
    long long seen          # number of the last sum that it was in
    unsigned long long marks    # bits that stand for it and for all values near it


@cython.final
cdef class SimilarRecords(RecordBlocks):
    """Blocks with one true value per field, summed out, and mistakes that resemble it."""

    cdef readonly SimilarityIndex similarity
    cdef readonly Py_ssize_t n_sources
    cdef readonly object hyperprior, steepness_hyperprior, change_hyperprior
    cdef readonly Py_ssize_t n_groups   # number of groups of fields that change together
    cdef object _change, _log_change_array, _groups
    cdef object _odd                # (field, slot): the record that has changed the field, or -1
    cdef int* group_starts          # where the fields of each group begin
    cdef int* group_fields
    cdef int* may_change            # whether each field is in a group
    cdef double* log_change         # log probability of a change of each group, and of no change
    cdef int[14] listed             # records of a block, in order
    cdef double* log_ratio          # (record, field): log L(B without i) L(i) / L(B)
    cdef double* log_whole          # log L(B) of each field
    cdef double* log_changed        # (group, record): log factor of a change
    cdef double* log_number         # logarithms of block sizes
    cdef Py_ssize_t n_listed
    cdef Pair last                  # block of two records that was last computed
    cdef object _beta, _steepness, _tables, _gains, _log_total_array, _level_array, _scratch
    cdef object _held_array, _source_array
    cdef object _log_factors        # of each field, greatest absolute logarithm of a factor
    cdef bint tame                  # whether products of a few factors stay in range
    cdef long long round            # number of the current sum
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
    cdef Level* levels              # what a sum over true values reads, stored together
    cdef object _laws
    cdef double* cumulative         # of each level, cumulative sum of gamma in its field
    cdef double* least_total        # least log Z of each field
    cdef double* held               # log marginal of each slot, NaN until it is computed
    cdef object _kept_array, _version_array
    cdef Kept* kept                 # cached log probabilities of a few values, by hash
    cdef unsigned long long last_place
    cdef long long n_versions
    cdef long long* version         # version of the parameters of each field
    cdef int* cells                 # values of a block in a field, level * n_sources + source
    cdef int* touched               # levels in the current sum
    cdef Py_ssize_t n_touched

    cdef void _mark_near(self) noexcept nogil
    cdef void _sum_near(self, Py_ssize_t field) noexcept nogil
    cdef void _take(self, Py_ssize_t source, Py_ssize_t field, double beta) noexcept nogil
    cdef double _log_mass_of(self, Py_ssize_t field, Py_ssize_t n) noexcept nogil
    cdef Py_ssize_t _gather(
        self, Py_ssize_t slot, Py_ssize_t field, Py_ssize_t without, Py_ssize_t extra
    ) noexcept nogil
    cdef double _log_values(self, Py_ssize_t field, Py_ssize_t n) noexcept nogil
    cdef double _log_several(self, Py_ssize_t field, Py_ssize_t n) noexcept nogil
    cdef bint _is_long(self) noexcept nogil
    cdef double _log_two(self, Py_ssize_t field) noexcept nogil
    cdef double _sum_shared(
        self, double right, Level* one, double other_right, Level* other
    ) noexcept nogil
    cdef double _log_kept(self, Py_ssize_t field, Py_ssize_t n) noexcept nogil
    cdef double _log_afresh(self, Py_ssize_t field, Py_ssize_t n) noexcept nogil
    cdef Py_ssize_t _begin(self, Py_ssize_t field, double neutral) noexcept nogil
    cdef Level* _enlist(self, int level, double neutral) noexcept nogil
    cdef double _log_few(self, Py_ssize_t field, Py_ssize_t n) noexcept nogil
    cdef double _sum_mild(self, Py_ssize_t field, Py_ssize_t n) noexcept nogil
    cdef void _multiply(self, Py_ssize_t field, Py_ssize_t n) noexcept nogil
    cdef double _log_many(self, Py_ssize_t field, Py_ssize_t n) noexcept nogil
    cdef double _log_block(
        self, Py_ssize_t slot, Py_ssize_t without, Py_ssize_t extra
    ) noexcept nogil
    cdef Py_ssize_t _list(
        self, Py_ssize_t slot, Py_ssize_t without, Py_ssize_t extra
    ) noexcept nogil
    cdef Py_ssize_t _gather_listed(self, Py_ssize_t field, Py_ssize_t n) noexcept nogil
    cdef int _cell_of(self, int level, Py_ssize_t item) noexcept nogil
    cdef int _level_of(self, int cell) noexcept nogil
    cdef Py_ssize_t _place_of(self, Py_ssize_t field, int cell) noexcept nogil
    cdef double _log_changes(self, Py_ssize_t n) noexcept nogil
    cdef double _log_changes_of(self, Py_ssize_t slot) noexcept nogil
    cdef double _log_change_of(self, Py_ssize_t place) noexcept nogil
    cdef double _log_change_of_two(self) noexcept nogil
    cdef double _log_without(self, Py_ssize_t field, Py_ssize_t n, Py_ssize_t odd) noexcept nogil
    cdef double _log_whole(self, Py_ssize_t slot) noexcept nogil
    cdef double _log_all(self) noexcept nogil
    cdef double _log_gain_of(self, Py_ssize_t level, Py_ssize_t other) noexcept nogil
    cdef Py_ssize_t _draw_true(
        self, Py_ssize_t field, Py_ssize_t n, bitgen_t* rng
    ) noexcept nogil
    cdef Py_ssize_t _draw_mild(
        self, Py_ssize_t field, Py_ssize_t n, bitgen_t* rng
    ) noexcept nogil
    cdef Py_ssize_t _draw_other(
        self, Py_ssize_t field, Py_ssize_t n, Py_ssize_t default, bitgen_t* rng
    ) noexcept nogil
    cdef bint _is_other(self, Py_ssize_t level) noexcept nogil
    cdef double _share_of_other(
        self, Py_ssize_t field, Py_ssize_t n, Py_ssize_t level
    ) noexcept nogil
