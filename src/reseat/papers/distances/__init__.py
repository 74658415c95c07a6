"""Vogt et al. 2010, clustering from distances only: tables, figures and claims."""

PAPER = "Vogt et al. 2010"

#: The paper's models, and WD_R from kernel PCA.
PAPER_MODELS = ("wd", "wdr_direct", "wdr_kpca", "tiwd")
