#!/bin/sh
# Prepares the independent HTTP/3 peers of the interoperability tests: a Python
# environment with aioquic, and two programs made of quic-go. Everything lands
# under target/interop. Needs python3 with venv, go, and their registries; says
# what is missing, prepares the rest, and then ends with status 1. What is not
# complete is removed, so that its tests skip aloud.
set -u
cd "$(dirname "$0")/../.." || exit 1
out="$PWD/target/interop"
mkdir -p "$out/bin" || exit 1
status=0

missing() {
    echo "setup.sh: $1" >&2
    status=1
}

aioquic() {
    [ -x "$out/venv/bin/python" ] || python3 -m venv "$out/venv" || return 1
    "$out/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
        --requirement tests/interop/requirements.txt
}

quic_go() {
    cd tests/interop/quicgo &&
        go build -o "$out/bin/quicgo-client" ./client &&
        go build -o "$out/bin/quicgo-server" ./server
}

if ! command -v python3 >/dev/null; then
    missing "no python3, so no aioquic: install Python 3 with venv"
elif ! aioquic; then
    rm -rf "$out/venv"
    missing "aioquic could not be installed, see above: it needs python3-venv and PyPI"
fi

if ! command -v go >/dev/null; then
    missing "no go, so no quic-go: install the version that tests/interop/quicgo/go.mod names"
elif ! (quic_go); then
    rm -f "$out/bin/quicgo-client" "$out/bin/quicgo-server"
    missing "quic-go could not be built, see above: it needs the Go version of tests/interop/quicgo/go.mod and a module proxy"
fi

exit "$status"
