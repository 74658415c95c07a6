"""Walker & Ringger 2008, model-based document clustering: tables, figures and claims.

Everything here starts from scores, traces and labels that the workflow has written; nothing here
runs a chain.
"""

PAPER = "Walker & Ringger 2008"
