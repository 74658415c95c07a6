"""Overlaps with the clusters of draws, and greedy moves that lower a posterior expected loss.

Both losses have the form

    E[loss] = sum_k f(n_k) - (2/D) sum_d sum_kc f(n_dkc) + constant

with n_k the size of cluster k, n_dkc its overlap with cluster c of draw d, and f(n) = n ln n for
the variation of information (times N), f(n) = n(n-1)/2 for Binder's loss (disagreeing pairs). So
an item that joins cluster k changes it by

    step[n_k] - (2/D) sum_d step[n_dkc],    step[n] = f(n + 1) - f(n),

where c is the item's own cluster in draw d; step[0] = 0, so a new cluster for the item alone
changes nothing.
"""

import numpy as np

# An item moves only if the gain exceeds rounding errors; otherwise sweeps might never settle.
cdef double MIN_GAIN = 1e-10
# Bytes of one entry of the dense table: an overlap (int32) and its step (float64).
cdef Py_ssize_t ENTRY_BYTES = 12
# Factor by which adding a whole row of the table is faster per entry than adding listed entries.
cdef Py_ssize_t WIDE = 3
# Largest number of slots at which an item that must join is scored against all clusters.
cdef int FEW_SLOTS = 2000


def overlap_sum(clusters, const int[::1] codes, const double[::1] f):
    """Return sum_d sum_kc f(n_dkc) for a partition; f(0) and f(1) must be 0."""
    cdef const int[::1] members = clusters.members
    cdef const long long[::1] starts = clusters.starts
    cdef int[::1] seen = np.zeros(max(codes) + 1, dtype=np.int32)
    cdef Py_ssize_t cell, m, n_several = clusters.n_several
    cdef int k
    cdef double total = 0.0
    with nogil:
        for cell in range(n_several):   # the others have one item, and f(1) = 0
            m = starts[cell]
            if starts[cell + 1] - m == 2:
                if codes[members[m]] == codes[members[m + 1]]:
                    total += f[2]
                continue
            for m in range(starts[cell], starts[cell + 1]):
                seen[codes[members[m]]] += 1
            # A second pass over the members finds every cluster that was seen and clears its count.
            for m in range(starts[cell], starts[cell + 1]):
                k = codes[members[m]]
                if seen[k] > 0:
                    total += f[seen[k]]
                    seen[k] = 0
    return total


def count_together(
    const int[:, ::1] cells,
    const int[::1] members,
    const long long[::1] starts,
    Py_ssize_t first,
    int[:, ::1] out,
):
    """Add to out[r, j] the draws that put items first + r and j together, for j >= first + r.

    The other arrays are those of `DrawClusters`.
    """
    cdef Py_ssize_t n_draws = cells.shape[1]
    cdef Py_ssize_t r, d, item, m
    cdef int cell
    cdef int* row
    with nogil:
        for r in range(out.shape[0]):
            item = first + r
            row = &out[r, 0]
            for d in range(n_draws):
                cell = cells[item, d]
                # Members are ascending: read backwards, those above the item come first.
                m = starts[cell + 1] - 1
                while members[m] > item:
                    row[members[m]] += 1
                    m -= 1
                row[item] += 1


cdef class GreedySearch:
    """A partition of the items, its overlaps with the draws, and greedy moves.

    With few, large clusters (dense), a table of step[n_dkc] is kept, with k as its last axis, and
    an item is scored against all clusters by adding D rows of it. With many small ones, or if it
    would outgrow `dense_bytes`, the overlaps are counted afresh from the members of the D clusters
    that the item is in, which gives the same scores. `change` is that of the objective since the
    partition was loaded or emptied.
    """

    cdef const int[:, ::1] cells
    cdef const int[::1] members
    cdef const long long[::1] starts
    cdef const double[::1] step
    cdef int[::1] slot_of, sizes, free_slots, candidates, met, seen
    cdef int[::1] first_of_size, after, before
    cdef int smallest
    cdef unsigned char[::1] listed
    cdef double[::1] score, together
    cdef int[:, ::1] overlap
    cdef double[:, ::1] gain
    cdef Py_ssize_t n_items, n_draws, n_cells, n_several, stride, dense_bytes
    cdef int max_clusters, used, n_free, n_active, n_candidates
    cdef readonly bint is_dense
    cdef public double change

    def __init__(self, clusters, const double[::1] step, int max_clusters, Py_ssize_t dense_bytes):
        self.cells = clusters.cells
        self.members = clusters.members
        self.starts = clusters.starts
        self.step = step
        self.n_items = self.cells.shape[0]
        self.n_draws = self.cells.shape[1]
        self.n_cells = self.starts.shape[0] - 1
        self.n_several = clusters.n_several
        self.max_clusters = max_clusters
        self.dense_bytes = dense_bytes
        # Each slot is in use or free again after use, so there are never more slots than items.
        self.slot_of, self.sizes, self.free_slots, self.candidates = np.empty(
            (4, self.n_items), dtype=np.int32
        )
        self.met, self.seen, self.after, self.before = np.zeros((4, self.n_items), dtype=np.int32)
        # The slots in use, in one linked list for each size of cluster.
        self.first_of_size = np.empty(self.n_items + 1, dtype=np.int32)
        self.listed = np.zeros(self.n_items, dtype=np.uint8)
        self.score = np.zeros(self.n_items)
        self.together = np.zeros(self.n_items)
        self.clear()

    # -- called from Python --------------------------------------------------------------------

    @property
    def labels(self):
        """Slot of each item, int32, shape (n_items,); -1 for items in no cluster."""
        return np.array(self.slot_of)

    def clear(self, Py_ssize_t n_slots=8):
        """Remove all items from their clusters, and make room for `n_slots` clusters at first."""
        self.slot_of[:] = -1
        self.sizes[:] = 0
        self.first_of_size[:] = -1
        self.smallest = 1
        self.used = self.n_free = self.n_active = 0
        self.change = 0.0
        self.stride = 0
        self.is_dense = True
        self._grow(n_slots)

    def load(self, const int[::1] codes):
        """Start from a partition numbered 0, 1, ... by first appearance."""
        cdef Py_ssize_t i
        self.clear(max(codes) + 8)
        with nogil:
            for i in range(self.n_items):
                self.enter(<int>i, codes[i])

    def sweep(self, const int[::1] items):
        """Put each of the items in turn into its best cluster; return how many moved or entered."""
        cdef Py_ssize_t position = 0
        cdef Py_ssize_t n_moved = 0
        while True:
            with nogil:
                position = self.run(items, position, &n_moved)
            if position == items.shape[0]:
                return n_moved
            self._grow(self.stride + self.stride // 2 + 8)

    def take_out(self, const int[::1] items):
        """Remove items from their clusters."""
        cdef Py_ssize_t t
        with nogil:
            for t in range(items.shape[0]):
                self.change -= self.own_score(items[t])
                self.leave(items[t])

    def put_together(self, const int[::1] items):
        """Put items in no cluster into one of their own; a slot must be free for it."""
        cdef Py_ssize_t t
        cdef int slot = self.next_slot()
        with nogil:
            for t in range(items.shape[0]):
                self.enter(items[t], slot)
                self.change += self.own_score(items[t])

    def _grow(self, Py_ssize_t stride):
        """Make room for `stride` clusters in the table, or drop the table if it gets too large."""
        if not self.is_dense:
            return
        stride = min(stride, self.n_items)
        if self.n_cells * stride * ENTRY_BYTES > self.dense_bytes:
            self.is_dense = False
            self.overlap = None
            self.gain = None
            self.stride = self.n_items
            return
        overlap = np.zeros((self.n_cells, stride), dtype=np.int32)
        gain = np.zeros((self.n_cells, stride))
        if self.stride:
            overlap[:, :self.stride] = self.overlap
            gain[:, :self.stride] = self.gain
        self.overlap = overlap
        self.gain = gain
        self.stride = stride

    # -- one item ------------------------------------------------------------------------------

    cdef Py_ssize_t run(
        self, const int[::1] items, Py_ssize_t position, Py_ssize_t* n_moved
    ) noexcept nogil:
        """Sweep on from `position`, and return the position reached.

        It is the end, or that of an item that needs a new cluster for which the table has no room.
        """
        cdef int item, slot, best, t, k
        cdef double best_score, own
        cdef bint may_open
        while position < items.shape[0]:
            item = items[position]
            slot = self.slot_of[item]
            may_open = self.n_active < self.max_clusters
            if self.is_dense:
                self.score_by_table(item)
            else:
                self.score_by_members(item, not may_open)
            own = self.score[slot] if slot >= 0 else 1e300
            best = -1
            best_score = 0.0 if may_open else 1e300
            for t in range(self.n_candidates):
                k = self.candidates[t]
                # If joining a cluster and opening one are tied, the item joins.
                if self.sizes[k] > 0 and k != slot and (
                    self.score[k] < best_score or (best < 0 and self.score[k] == best_score)
                ):
                    best = k
                    best_score = self.score[k]
            if best_score < own - MIN_GAIN:
                if best < 0 and self.n_free == 0 and self.used == self.stride:
                    return position
                if slot >= 0:
                    self.change -= own
                    self.leave(item)
                if best < 0:
                    best = self.next_slot()
                self.enter(item, best)
                self.change += best_score
                n_moved[0] += 1
            position += 1
        return position

    cdef void score_by_table(self, int item) noexcept nogil:
        """Score the slots in `candidates`, and the item's own as if the item were not in it.

        Joining a cluster of n items cannot change the objective by less than -step[n], so a
        cluster that is too small to improve on the item's own score is not a candidate.
        """
        cdef Py_ssize_t d, k, t
        cdef Py_ssize_t n = 0
        cdef Py_ssize_t n_slots = self.used
        cdef int slot = self.slot_of[item]
        cdef double scale = 2.0 / self.n_draws
        cdef double own = self.own_score(item) if slot >= 0 else 1e300
        cdef double* together = &self.together[0]
        cdef int* candidates = &self.candidates[0]
        cdef const double* row
        for k in range(n_slots):
            if self.sizes[k] > 0 and -self.step[self.sizes[k]] < own:
                candidates[n] = <int>k
                n += 1
        if n > n_slots // WIDE:
            # Adding whole rows is faster than adding that many chosen entries.
            for d in range(self.n_draws):
                row = &self.gain[self.cells[item, d], 0]
                for k in range(n_slots):
                    together[k] += row[k]
        else:
            for d in range(self.n_draws):
                row = &self.gain[self.cells[item, d], 0]
                for t in range(n):
                    together[candidates[t]] += row[candidates[t]]
        for t in range(n):
            k = candidates[t]
            self.score[k] = self.step[self.sizes[k]] - scale * together[k]
        for k in range(n_slots):
            together[k] = 0.0
        if slot >= 0:
            self.score[slot] = own
        self.n_candidates = <int>n

    cdef void score_by_members(self, int item, bint must_join) noexcept nogil:
        """Score the slots in `candidates`, and the item's own as if the item were not in it.

        A cluster whose members are never together with the item in a draw cannot be better than a
        new one, so it is a candidate only if no new one may be opened (`must_join`). If there are
        very many such clusters, only the smallest is a candidate, since no larger one is better.
        """
        cdef Py_ssize_t d, m
        cdef int cell, j, k, t, n_met
        cdef int slot = self.slot_of[item]
        cdef int n = 0
        cdef double scale = 2.0 / self.n_draws
        if must_join and self.used <= FEW_SLOTS:
            for k in range(self.used):
                self.candidates[k] = k
                self.listed[k] = True
            n = self.used
        elif slot >= 0:
            self.candidates[0] = slot
            self.listed[slot] = True
            n = 1
        for d in range(self.n_draws):
            cell = self.cells[item, d]
            if cell >= self.n_several:
                continue  # the item itself
            n_met = 0
            for m in range(self.starts[cell], self.starts[cell + 1]):
                j = self.members[m]
                k = self.slot_of[j]
                if k < 0 or j == item:
                    continue
                if self.seen[k] == 0:
                    self.met[n_met] = k
                    n_met += 1
                self.seen[k] += 1
            for t in range(n_met):
                k = self.met[t]
                if not self.listed[k]:
                    self.listed[k] = True
                    self.candidates[n] = k
                    n += 1
                self.together[k] += self.step[self.seen[k]]
                self.seen[k] = 0
        if must_join and self.used > FEW_SLOTS:
            k = self.smallest_unlisted()
            if k >= 0:
                self.listed[k] = True
                self.candidates[n] = k
                n += 1
        for t in range(n):
            k = self.candidates[t]
            self.score[k] = self.step[self.sizes[k] - (k == slot)] - scale * self.together[k]
            self.together[k] = 0.0
            self.listed[k] = False
        self.n_candidates = n

    cdef double own_score(self, int item) noexcept nogil:
        """Return the score of the cluster that an item is in, as if the item were not in it."""
        cdef Py_ssize_t d, m
        cdef int cell, n
        cdef int slot = self.slot_of[item]
        cdef double together = 0.0
        for d in range(self.n_draws):
            cell = self.cells[item, d]
            if cell >= self.n_several:
                continue  # the item itself
            if self.is_dense:
                n = self.overlap[cell, slot]
            else:
                n = 0
                for m in range(self.starts[cell], self.starts[cell + 1]):
                    n += self.slot_of[self.members[m]] == slot
            together += self.step[n - 1]
        return self.step[self.sizes[slot] - 1] - 2.0 / self.n_draws * together

    cdef int smallest_unlisted(self) noexcept nogil:
        """Return the slot of the smallest cluster that is not yet a candidate, -1 if all are."""
        cdef int size, slot
        while self.smallest < self.n_items and self.first_of_size[self.smallest] < 0:
            self.smallest += 1
        for size in range(self.smallest, <int>self.n_items + 1):
            slot = self.first_of_size[size]
            while slot >= 0:
                if not self.listed[slot]:
                    return slot
                slot = self.after[slot]
        return -1

    cdef void chain(self, int slot) noexcept nogil:
        """Add a slot in use to the linked list of its size."""
        cdef int size = self.sizes[slot]
        cdef int other = self.first_of_size[size]
        self.before[slot] = -1
        self.after[slot] = other
        if other >= 0:
            self.before[other] = slot
        self.first_of_size[size] = slot
        if size < self.smallest:
            self.smallest = size

    cdef void unchain(self, int slot) noexcept nogil:
        """Remove a slot from the linked list of its size."""
        if self.before[slot] >= 0:
            self.after[self.before[slot]] = self.after[slot]
        else:
            self.first_of_size[self.sizes[slot]] = self.after[slot]
        if self.after[slot] >= 0:
            self.before[self.after[slot]] = self.before[slot]

    cdef int next_slot(self) noexcept nogil:
        if self.n_free > 0:
            self.n_free -= 1
            return self.free_slots[self.n_free]
        return self.used

    cdef void shift(self, int item, int slot, int by) noexcept nogil:
        """Change the overlaps of a slot with the clusters that an item is in by 1 or -1."""
        cdef Py_ssize_t d
        cdef int cell
        if self.is_dense:
            for d in range(self.n_draws):
                cell = self.cells[item, d]
                self.overlap[cell, slot] += by
                self.gain[cell, slot] = self.step[self.overlap[cell, slot]]

    cdef void enter(self, int item, int slot) noexcept nogil:
        if slot == self.used:
            self.used += 1
        if self.sizes[slot] == 0:
            self.n_active += 1
        else:
            self.unchain(slot)
        self.sizes[slot] += 1
        self.chain(slot)
        self.slot_of[item] = slot
        self.shift(item, slot, 1)

    cdef void leave(self, int item) noexcept nogil:
        cdef int slot = self.slot_of[item]
        self.unchain(slot)
        self.sizes[slot] -= 1
        self.slot_of[item] = -1
        if self.sizes[slot] == 0:
            self.n_active -= 1
            self.free_slots[self.n_free] = slot
            self.n_free += 1
        else:
            self.chain(slot)
        self.shift(item, slot, -1)
