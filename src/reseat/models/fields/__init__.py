"""Rules for comparing the values of each field of records, derived from the values themselves.

Nothing has to be set: `reseat.likelihoods.SimilarRecords` learns how steeply mistakes fall with
distance, and the rules here only determine where it starts.
"""
