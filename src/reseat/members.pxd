cdef class Members:
    """The items of each block, as linked lists."""

    cdef readonly Py_ssize_t capacity
    cdef object _head_array, _next_array, _previous_array
    cdef int* head              # [slot] its first item, or -1
    cdef int* next              # [item] the next item in the same slot, or -1
    cdef int* previous          # [item] the previous item in the same slot, or -1

    cdef inline void move(
        self, Py_ssize_t item, Py_ssize_t source, Py_ssize_t target
    ) noexcept nogil:
        cdef int before = self.previous[item]
        cdef int after = self.next[item]
        cdef int first = self.head[target]
        if before < 0:
            self.head[source] = after
        else:
            self.next[before] = after
        if after >= 0:
            self.previous[after] = before
        self.previous[item] = -1
        self.next[item] = first
        if first >= 0:
            self.previous[first] = <int>item
        self.head[target] = <int>item
