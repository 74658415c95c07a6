"""Which model finds new entities best, and with which settings: as held-out entities say."""
