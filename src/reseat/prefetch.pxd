cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define RESEAT_PREFETCH(address) __builtin_prefetch((address), 0, 3)
    #else
    #define RESEAT_PREFETCH(address) ((void)(address))
    #endif
    """
    void prefetch "RESEAT_PREFETCH" (const void* address) noexcept nogil
