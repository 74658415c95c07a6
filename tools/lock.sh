#!/bin/sh
# Write requirements.lock anew from pyproject.toml: exact versions and hashes for all platforms and
# every Python from 3.11 on, one version a package, without the name of any package index. Needs uv.
# The extra `files` is not locked.
#
#   tools/lock.sh              keep the present versions where they still fit
#   tools/lock.sh --upgrade    take the newest
set -eu
cd "$(dirname "$0")/.."
command -v uv >/dev/null 2>&1 || {
    echo "uv was not found; install it (pip install uv) and run this again." >&2
    exit 1
}
uv pip compile pyproject.toml --universal --python-version 3.11 --fork-strategy fewest \
    --extra workflow --extra cluster --extra test --extra lint --extra docs --extra build \
    --generate-hashes --no-header --no-annotate --no-emit-index-url \
    --output-file requirements.lock "$@"
