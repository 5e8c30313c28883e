#!/usr/bin/env bash
# Writes both lock files anew, names and versions only, from what pyproject.toml allows today.
set -euo pipefail
source "$(dirname "$0")/common.sh"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# freeze FOLDER PIP-ARGUMENT...: what a fresh virtual environment holds after installing these.
freeze() {
    local venv=$1
    shift
    .venv/bin/python -m venv "$venv"
    "$venv/bin/python" -m pip --disable-pip-version-check install --quiet "$@"
    "$venv/bin/python" -m pip --disable-pip-version-check freeze --all --exclude-editable |
        grep -viE '^(pip|token-gateway)[= ]'
}

# Versions in the runtime lock are those of the development lock: tests run what is deployed.
freeze "$folder/dev" -e '.[dev]' >"$folder/dev.lock"
freeze "$folder/run" -c "$folder/dev.lock" -e . | grep -viE '^setuptools=' >"$folder/run.lock"
mv "$folder/dev.lock" requirements-dev.lock
mv "$folder/run.lock" requirements.lock
echo "locked: $(wc -l <requirements.lock) packages to run, $(wc -l <requirements-dev.lock) in all"
