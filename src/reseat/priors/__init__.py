"""Partition priors: how likely are these block sizes?"""

import lazy_loader

# Imported on first use, because a chain needs only one prior.
__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "_concentration": ["sample_concentration"],
        "_prior": ["PartitionPrior"],
        "process": ["expected_blocks", "solve_concentration", "DirichletProcess", "PitmanYor"],
        "dirichlet": ["FiniteDirichlet"],
        "esc": ["ESCD", "ESCNB"],
        "hyperpriors": ["BetaHyperprior", "GammaHyperprior", "slice_sample"],
        "nbd": ["NBD", "SampledNBD"],
        "named": [
            "all_priors",
            "check_parameters",
            "declared_prior",
            "make_prior",
            "prior",
            "sampled_settings",
        ],
        "nbnb": ["NBNB"],
        "simulate": ["sample_sizes"],
    },
)
