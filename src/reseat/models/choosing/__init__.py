"""Choice of the model, and of its settings, that finds held-out entities best."""
