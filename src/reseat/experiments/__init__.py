"""One package a paper family: its tables, figures and claims, computed from scores."""
