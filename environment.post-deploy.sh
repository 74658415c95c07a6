#!/usr/bin/env bash
# Snakemake runs this in an environment that it has made from environment.yml
# (--software-deployment-method conda), in the working directory of the run.
set -euo pipefail
python -m pip install --no-deps --no-build-isolation .
