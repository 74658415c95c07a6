"""What the effect of each claim is, and its unit."""

MEASURES = {}
