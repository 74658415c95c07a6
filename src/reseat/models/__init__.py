"""The models of the five families: settings and data in, a model at its start out.

Each module named after a family has `build`, which the chains of the papers and the estimators call
alike. Import the one that is needed: chains depend on what they can reach. `fields` tells how
records are compared, `choosing` which of the models of references finds held-out entities best.
"""
