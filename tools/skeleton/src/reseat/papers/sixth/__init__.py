"""Author 2000: tables, figures and claims."""

PAPER = "Author 2000"
