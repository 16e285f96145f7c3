#!/bin/sh
# Installs the servers that check the lines of advice for their configurations, from the
# distribution's packages (root and apt-get only). Says what is missing, installs the rest, and then
# ends with status 1: tests that need what is missing skip aloud.
set -u
status=0

# server COMMAND PACKAGE
server() {
    PATH="$PATH:/usr/sbin" command -v "$1" >/dev/null && return
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        export DEBIAN_FRONTEND=noninteractive
        apt-get install --yes --quiet --no-install-recommends "$2" >/dev/null && return
        apt-get update --quiet >/dev/null &&
            apt-get install --yes --quiet --no-install-recommends "$2" >/dev/null && return
    fi
    echo "setup.sh: no $1: install the package $2" >&2
    status=1
}

server nginx nginx-light
server apache2 apache2-bin
server caddy caddy
server h2o h2o

exit "$status"
