#!/bin/sh
# Run every linter, even after one has complained, and fail if any did.
cd "$(dirname "$0")/.." || exit 1
failed=""

run() {
    printf '== %s\n' "$*"
    "$@" || failed="$failed $1"
}

run ruff check .
run cython-lint src
run snakefmt --check Snakefile workflow tools/skeleton/workflow
run snakemake --lint
run mypy tests/typed.py

if [ -n "$failed" ]; then
    printf 'Complaints from:%s\n' "$failed" >&2
    exit 1
fi
