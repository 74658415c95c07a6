"""The models of the five families: settings and data in, a model at its start out.

Each module has `build`, which the chains of the papers and the estimators call alike.  Import the
one that is needed: chains depend on what they can reach.
"""
