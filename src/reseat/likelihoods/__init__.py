"""Likelihoods: how well do these items go together?"""

import lazy_loader

# Imported when they are asked for: a chain needs one likelihood, not the compiled code of all.
__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "_block_sums": ["PointSums"],
        "_categorical": ["CategoricalRecords"],
        "_collapsed_precisions": ["CollapsedPrecisions"],
        "_dirichlet_multinomial": ["DirichletMultinomial", "TermIndex"],
        "_explicit_means": ["ExplicitMeans"],
        "_fixed_point": ["fixed_point"],
        "_hit_miss": ["HitMissRecords"],
        "_likelihood": ["Likelihood"],
        "_precision_law": ["PrecisionLaw"],
        "_record_index": ["RecordIndex"],
        "_reference_means": ["ReferenceMeans"],
        "_reference_precisions": ["ReferencePrecisions"],
        "_relational_links": ["RelationalLinks"],
        "_similar_records": ["SimilarRecords"],
        "_similarity_index": ["SimilarityIndex"],
        "_wishart_distances": ["WishartDistances"],
        "_wishart_similarities": ["WishartSimilarities"],
        "link_prediction": ["link_log_predictive"],
        "link_table": ["LinkTable"],
        "references": ["GaussianReferences"],
        "similar_values": ["Similarity", "code_columns", "index_columns", "near_values"],
    },
)
