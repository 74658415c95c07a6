"""The published run: the part of one run that the repository keeps, and comparisons with it."""

import lazy_loader

# Imported on first use.
__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "costs": ["in_words", "known_seconds", "read_costs"],
        "explain": ["explain_published", "render_published"],
        "numbers": ["PublishedRun", "findings", "learned", "scoreboard"],
        "verify": ["verify_table"],
        "writing": ["publish"],
    },
)
