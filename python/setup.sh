#!/usr/bin/env bash
# Prepares the tests of the Python package: an environment with the libraries that they use,
# under target/python. Needs Python 3.10 with venv, and its index.
set -euo pipefail
cd "$(dirname "$0")/.."
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || {
  echo "setup.sh: there is no Python 3.10 or later" >&2
  exit 1
}
python3 -m venv target/python
target/python/bin/pip install --quiet --upgrade pip
target/python/bin/pip install --quiet --group test
