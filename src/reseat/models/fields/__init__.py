"""How the values of each field of records are compared, told from the values themselves.

Nothing has to be set: the law of mistakes (`reseat.likelihoods.SimilarRecords`) learns how steeply
they fall with distance, and the rules here only say where it begins.
"""
