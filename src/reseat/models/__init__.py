"""The models of the five families, built from settings and data and placed at their start.

Each module named after a family has a function `build`, which the chains of the papers and the
estimators both call. Import only the module that is needed: chains depend on all code that they can
reach. `fields` determines how records are compared; `choosing` determines which of the models of
references finds held-out entities best.
"""
