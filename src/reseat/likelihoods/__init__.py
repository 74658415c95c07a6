"""Likelihoods: how well the items of a block fit together."""

import lazy_loader

# Imported lazily: a chain needs the compiled code of one likelihood, not of all of them.
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
        "_joint_blocks": ["JointBlocks"],
        "_likelihood": ["Likelihood"],
        "_precision_law": ["PrecisionLaw"],
        "_record_index": ["RecordIndex"],
        "_reference_means": ["ReferenceMeans"],
        "_reference_precisions": ["ReferencePrecisions"],
        "_relational_links": ["RelationalLinks", "RelationalRates"],
        "_similar_records": ["SimilarRecords"],
        "_similarity_index": ["SimilarityIndex"],
        "_student_blocks": ["StudentBlocks"],
        "_wishart_distances": ["WishartDistances"],
        "_wishart_similarities": ["WishartSimilarities"],
        "link_prediction": ["link_log_predictive"],
        "link_table": ["LinkTable"],
        "references": ["GaussianReferences"],
        "similar_values": ["Similarity", "code_columns", "index_columns", "near_values"],
    },
)
