"""A client made of Python's http.client, for the interoperability tests.

    http_client.py PORT CERTIFICATE.pem

Makes several requests on one connection to 127.0.0.1 over TLS, one after the
other, and prints one JSON object for each response.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import ssl
import sys

REQUESTS = [
    ("GET", "/a", None, False),
    ("GET", "/none", None, False),
    ("HEAD", "/a", None, False),
    ("GET", "/c", None, False),
    ("POST", "/d", b"x" * 100_000, False),
    ("POST", "/d", b"x" * 1_000, True),
    ("GET", "/g", None, False),
]


def main(port: int, certificate: str) -> None:
    context = ssl.create_default_context(cafile=certificate)
    context.set_alpn_protocols(["http/1.1"])
    connection = http.client.HTTPSConnection("localhost", port, context=context, timeout=30)
    connection.connect()
    socket = connection.sock
    for method, path, body, chunked in REQUESTS:
        content = iter([body] * 50) if chunked else body
        headers = {"Transfer-Encoding": "chunked"} if chunked else {}
        connection.request(method, path, body=content, headers=headers, encode_chunked=chunked)
        response = connection.getresponse()
        data = response.read()
        assert connection.sock is socket, "the connection was not kept"
        report = {
            "path": path,
            "status": response.status,
            "length": len(data),
            "sha256": hashlib.sha256(data).hexdigest(),
            "headers": {k.lower(): v for k, v in response.getheaders()},
        }
        print(json.dumps(report), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
