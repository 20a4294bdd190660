# mk/packages.sh - for demo.sh, check.sh and .ci/run: installs what is missing of apt-packages.txt.
# Read with `.`; POSIX sh.
# shellcheck shell=sh

# missing_packages GROUP... : names on stdout, none when all are there.  Asks dpkg only.
missing_packages() {
    for group in "$@"; do
        sed -n "s/^\([a-z0-9][^ ]*\)  *$group\$/\1/p" apt-packages.txt
    done | while read -r package; do
        case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) in
        'install ok installed') ;;
        *) printf '%s ' "$package" ;;
        esac
    done
}

# install_packages GROUP... : leaves the shell with exit code 1 when that cannot be done.
install_packages() {
    if ! command -v dpkg-query >/dev/null 2>&1; then
        echo "This is not Debian: install what apt-packages.txt names under your system's names; 'make config' shows what is found." >&2
        return 0
    fi
    packages=$(missing_packages "$@")
    packages=${packages% }
    [ -n "$packages" ] || return 0
    if [ "$(id -u)" = 0 ]; then
        as_root=
    elif command -v sudo >/dev/null 2>&1 && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
        as_root='sudo '
    else
        echo "These packages are missing and installing them takes root. Type this, then run $0 again:" >&2
        echo "    su -c 'apt-get update && apt-get install -y --no-install-recommends $packages'" >&2
        exit 1
    fi
    echo "Installing with ${as_root}apt-get: $packages" >&2
    # Package lists may be old or, in a container, not there at all.
    # shellcheck disable=SC2086 # lists of words
    { ${as_root}env DEBIAN_FRONTEND=noninteractive apt-get -q update &&
        ${as_root}env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends $packages; } >&2 || {
        echo "apt-get could not install: $packages" >&2
        exit 1
    }
}

# One job per processor that this process may use.
n_jobs() {
    nproc 2>/dev/null || echo 1
}
