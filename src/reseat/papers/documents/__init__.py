"""Walker & Ringger 2008, model-based document clustering: tables, figures and claims."""

PAPER = "Walker & Ringger 2008"
