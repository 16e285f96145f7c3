#!/bin/sh
# Prepares the independent peers of the interoperability tests: a Python
# environment with aioquic, three programs made of quic-go, and h2spec. Everything lands
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
        go build -o "$out/bin/quicgo-bulk" ./bulk &&
        go build -o "$out/bin/quicgo-client" ./client &&
        go build -o "$out/bin/quicgo-server" ./server
}

h2spec() {
    cd tests/interop/h2spec &&
        go build -o "$out/bin/h2spec" github.com/summerwind/h2spec/cmd/h2spec
}

if ! command -v python3 >/dev/null; then
    missing "no python3, so no aioquic: install Python 3 with venv"
elif ! aioquic; then
    rm -rf "$out/venv"
    missing "aioquic could not be installed, see above: it needs python3-venv and PyPI"
fi

if ! command -v go >/dev/null; then
    missing "no go, so neither quic-go nor h2spec: install the version that tests/interop/quicgo/go.mod names"
else
    if ! (quic_go); then
        rm -f "$out/bin/quicgo-bulk" "$out/bin/quicgo-client" "$out/bin/quicgo-server"
        missing "quic-go could not be built, see above: it needs the Go version of tests/interop/quicgo/go.mod and a module proxy"
    fi
    if ! (h2spec); then
        rm -f "$out/bin/h2spec"
        missing "h2spec could not be built, see above: it needs the Go version of tests/interop/h2spec/go.mod and a module proxy"
    fi
fi

exit "$status"
