"""The published run: what the repository keeps of one run, and what is checked against it."""

import lazy_loader

# Imported when they are asked for.
__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "costs": ["in_words", "known_seconds", "read_costs"],
        "numbers": ["PublishedRun"],
        "scoreboard": ["findings", "scoreboard"],
        "verify": ["verify_table"],
        "writing": ["publish"],
    },
)
