"""Likelihoods: how well do these items go together?"""

from reseat.likelihoods._categorical import CategoricalRecords
from reseat.likelihoods._collapsed_precisions import CollapsedPrecisions
from reseat.likelihoods._dirichlet_multinomial import DirichletMultinomial, TermIndex
from reseat.likelihoods._explicit_means import ExplicitMeans
from reseat.likelihoods._hit_miss import HitMissRecords
from reseat.likelihoods._likelihood import Likelihood
from reseat.likelihoods._precision_law import PrecisionLaw
from reseat.likelihoods._record_index import RecordIndex
from reseat.likelihoods._reference_means import ReferenceMeans
from reseat.likelihoods._reference_precisions import ReferencePrecisions
from reseat.likelihoods._relational_links import RelationalLinks
from reseat.likelihoods._wishart_distances import WishartDistances
from reseat.likelihoods._wishart_similarities import WishartSimilarities
from reseat.likelihoods.fixed_point import fixed_point
from reseat.likelihoods.link_prediction import link_log_predictive
from reseat.likelihoods.link_table import LinkTable
from reseat.likelihoods.references import GaussianReferences

__all__ = [
    "CategoricalRecords",
    "CollapsedPrecisions",
    "DirichletMultinomial",
    "ExplicitMeans",
    "GaussianReferences",
    "HitMissRecords",
    "Likelihood",
    "LinkTable",
    "PrecisionLaw",
    "RecordIndex",
    "ReferenceMeans",
    "ReferencePrecisions",
    "RelationalLinks",
    "TermIndex",
    "WishartDistances",
    "WishartSimilarities",
    "fixed_point",
    "link_log_predictive",
]
