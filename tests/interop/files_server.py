"""Runs the system's nginx, or ngtcp2's gtlsserver, as a server of HTTP/3 for the tests.

    files_server.py nginx|gtlsserver CERTIFICATE

Writes a self-signed certificate (DER) to the path given, then prints `port N`, or `missing:` and
the reason. Serves `/bytes/60000` until its standard input closes.
"""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cryptography.hazmat.primitives import serialization

from common import certify, pattern

NGINX = """
daemon off; master_process off; pid nginx.pid; error_log stderr notice;
events {{}}
http {{
    access_log off;
    client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi; scgi_temp_path scgi;
    server {{
        listen 127.0.0.1:{port} quic;
        ssl_certificate certificate.pem;
        ssl_certificate_key key.pem;
        root files;
    }}
}}
"""

NGINX_LEAST = (1, 27, 5)
"""Earlier versions overrun the queue of the probe, which then ends at its limit of bytes."""


def missing(name: str) -> str | None:
    """The reason for which there is no such server, if there is none."""
    if shutil.which(name) is None:
        return f"no {name} in the path"
    if name == "nginx":
        built = subprocess.run([name, "-V"], capture_output=True, text=True, check=True).stderr
        version = re.search(r"nginx/(\d+)\.(\d+)\.(\d+)", built)
        if "--with-http_v3_module" not in built:
            return "nginx was built without http_v3_module"
        if version is None or tuple(map(int, version.groups())) < NGINX_LEAST:
            return "nginx is older than 1.27.5"
    return None


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def is_open(port: int) -> bool:
    """True if a server has the port."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        try:
            one.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False


def main(name: str, certificate_path: Path) -> None:
    reason = missing(name)
    if reason is not None:
        print(f"missing: {reason}", flush=True)
        return
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        certificate, key = certify(certificate_path)
        pem = serialization.Encoding.PEM
        (here / "certificate.pem").write_bytes(certificate.public_bytes(pem))
        plain = serialization.NoEncryption()
        kind = serialization.PrivateFormat.PKCS8
        (here / "key.pem").write_bytes(key.private_bytes(pem, kind, plain))
        (here / "files/bytes").mkdir(parents=True)
        (here / "files/bytes/60000").write_bytes(pattern(60000))
        port = free_port()
        (here / "nginx.conf").write_text(NGINX.format(port=port))
        command = {
            "nginx": ["nginx", "-e", "stderr", "-p", folder, "-c", f"{folder}/nginx.conf"],
            "gtlsserver": ["gtlsserver", "-q", "-d", f"{folder}/files", "127.0.0.1", str(port),
                           f"{folder}/key.pem", f"{folder}/certificate.pem"],
        }[name]
        quiet = subprocess.DEVNULL
        server = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet)
        try:
            while not is_open(port) and server.poll() is None:
                time.sleep(0.05)
            print(f"port {port}", flush=True)
            sys.stdin.read()
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
