#!/usr/bin/env bash
# Makes sure the servers that tests and bench start are installed: mariadb, kannel and so on.
set -euo pipefail
source "$(dirname "$0")/common.sh"

missing=()

# need PACKAGE BINARY...: the package is missing when one of its binaries is.
need() {
    local package=$1 binary
    shift
    for binary in "$@"; do
        command -v "$binary" >/dev/null || { missing+=("$package") && return; }
    done
}

for name in "$@"; do
    case $name in
        mariadb) need mariadb-server mariadbd mariadb-install-db ;;
        chromium) need chromium chromium ;;
        kannel)
            need kannel bearerbox smsbox
            need kannel-extras /usr/lib/kannel/test/fakesmsc
            ;;
        nginx) need nginx-light nginx ;;
        *) fail "unknown server '$name': mariadb, chromium, kannel or nginx" ;;
    esac
done
if [ ${#missing[@]} -gt 0 ]; then
    install_debian "servers that tests and bench start are missing" "${missing[@]}"
fi
