"""The console script `reseat`: each of its subcommands is a module that `main` names."""
