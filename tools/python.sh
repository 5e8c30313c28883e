#!/usr/bin/env bash
# Makes .venv with the locked packages and this project: `tools/python.sh run` or `... dev`.
set -euo pipefail
source "$(dirname "$0")/common.sh"

kind=${1:-dev}
case $kind in
    run) lock=requirements.lock target=. ;;
    dev) lock=requirements-dev.lock target='.[dev]' ;;
    *) fail "unknown kind '$kind': run or dev" ;;
esac
log=var/setup.log

is_new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

# Prints the Python to build with: $PYTHON if set, else the first new enough one on PATH.
find_python() {
    local name
    for name in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11 /usr/bin/python3}; do
        if command -v "$name" >/dev/null && is_new_enough "$name"; then
            command -v "$name"
            return
        fi
    done
    local hint="install one (Debian 12 and later: apt-get install python3 python3-venv)"
    name=${PYTHON:-python3}
    command -v "$name" >/dev/null || fail "Python 3.11 or newer is needed, no $name here; $hint"
    fail "Python 3.11 or newer is needed, $name is $("$name" --version 2>&1 | head -n 1); $hint"
}

# Debian ships venv without ensurepip until python3.X-venv is there.
ensure_venv_module() {
    if "$1" -c 'import venv; from ensurepip import bootstrap' 2>/dev/null; then
        return
    fi
    local real
    real=$("$1" -c 'import os, sys; print(os.path.realpath(sys.executable))')
    case $real in
        /usr/bin/*) install_debian "$real has no venv module" "$(basename "$real")-venv" ;;
        *) fail "$real has no venv module; install a complete Python 3.11 or newer" ;;
    esac
}

make_venv() {
    local python
    python=$(find_python)
    ensure_venv_module "$python"
    echo "set-up: making .venv with $("$python" --version)"
    rm -rf .venv
    "$python" -m venv .venv >"$log" 2>&1 || fail "$python could not make .venv; its output: $log"
}

# Says what pip's last error line says, and keeps the rest in the log.
explain_pip() {
    if grep -qE 'NewConnectionError|NameResolutionError|ConnectTimeout|unreachable' "$log"; then
        fail "pip reached no package index (no network?); its output: $log"
    fi
    fail "pip failed: $(grep -i error "$log" | tail -n 1); its whole output: $log"
}

install_packages() {
    local pip=(.venv/bin/python -m pip --disable-pip-version-check --no-input --retries 2)
    echo "set-up: installing the packages of $lock (a minute, once)"
    {
        "${pip[@]}" install -c requirements-dev.lock setuptools &&
            "${pip[@]}" install -c "$lock" --no-build-isolation -e "$target"
    } >"$log" 2>&1 || explain_pip
}

# What the installed state depends on; a moved folder breaks the paths inside .venv.
wanted_state() {
    {
        pwd
        .venv/bin/python --version
        cat requirements*.lock pyproject.toml tools/python.sh
    } 2>&1 | cksum
}

# What the last set-up left: dev's packages include run's.
present_state() {
    cat .venv/dev.stamp 2>/dev/null || { [ "$kind" = run ] && cat .venv/run.stamp 2>/dev/null; }
}

if command -v flock >/dev/null; then # two makes at once take turns
    exec 9>var/setup.lock
    flock 9
fi
if [ "$(cat .venv/home 2>/dev/null || pwd)" != "$(pwd)" ] ||
    [ ! -x .venv/bin/pip ] || ! is_new_enough .venv/bin/python; then
    make_venv
fi
if [ "$(present_state)" = "$(wanted_state)" ]; then
    exit 0
fi
rm -f .venv/*.stamp
install_packages
pwd >.venv/home
wanted_state >".venv/$kind.stamp"
