#!/bin/sh
# Prepares the independent HTTP/3 peers of the interoperability tests: a Python
# environment with aioquic, and two programs made of quic-go. Everything lands
# under target/interop. Needs python3 with venv, go, and their registries.
set -eu
cd "$(dirname "$0")/../.."
out="$PWD/target/interop"
mkdir -p "$out/bin"
[ -x "$out/venv/bin/python" ] || python3 -m venv "$out/venv"
"$out/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    --requirement tests/interop/requirements.txt
cd tests/interop/quicgo
go build -o "$out/bin/quicgo-client" ./client
go build -o "$out/bin/quicgo-server" ./server
