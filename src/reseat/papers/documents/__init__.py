"""Walker & Ringger 2008, model-based document clustering: tables, figures and claims.

The modules `sampling` and `em` run chains and restarts of EM, whose files `snapshots` and `scoring`
read. Everything else starts from scores, traces and labels that the workflow has written.
"""

PAPER = "Walker & Ringger 2008"
