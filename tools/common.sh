# What the set-up scripts share: the one-line failure and installing Debian packages.
# shellcheck shell=bash

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
export PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin" # servers live there, also for plain users

fail() {
    echo "set-up: $1" >&2
    exit 1
}

# Prints the words to put before a command that needs root; fails where there are none.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        return 0
    fi
    command -v sudo >/dev/null && sudo -n true 2>/dev/null && echo "sudo -n"
}

# install_debian WHY PACKAGE...: installs by apt, or says in one line what a person has to install.
install_debian() {
    local why=$1 root
    shift
    local by_hand="$why: apt-get install $*"
    command -v apt-get >/dev/null ||
        fail "$why and there is no apt-get here: install by hand what Debian calls $*"
    root=$(as_root) || fail "$by_hand (as root)"
    echo "set-up: installing $* by apt-get (once)"
    local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300)
    # shellcheck disable=SC2086 # "sudo -n" is two words
    { $root "${apt[@]}" update && $root "${apt[@]}" install -y --no-install-recommends "$@"; } \
        </dev/null >var/apt.log 2>&1 ||
        fail "$by_hand (apt-get failed here, is there a network? its output: var/apt.log)"
}

{ mkdir -p var && [ -w var ] && [ -w . ]; } 2>/dev/null || fail "$PWD and its var/ must be writable"
