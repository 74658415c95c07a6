"""Likelihoods: how well do these items go together?"""

from reseat.likelihoods._dirichlet_multinomial import DirichletMultinomial, TermIndex
from reseat.likelihoods._likelihood import Likelihood

__all__ = ["DirichletMultinomial", "Likelihood", "TermIndex"]
