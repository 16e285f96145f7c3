"""What the programs in Python share."""

from __future__ import annotations

import datetime
import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

PRIORITY_UPDATE = 0xF0700
"""PRIORITY_UPDATE of a request stream: RFC 9218, section 7.2."""


def pattern(length: int) -> bytes:
    """The body of `/bytes/LENGTH`: byte i is i mod 251."""
    period = bytes(range(251))
    return (period * (length // 251 + 1))[:length]


def certify(path: Path) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    """A fresh certificate for `localhost`, which is written to `path` (DER), and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.timezone.utc)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=7))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), False)
        .sign(key, hashes.SHA256())
    )
    path.write_bytes(certificate.public_bytes(serialization.Encoding.DER))
    return certificate, key


@dataclass
class Message:
    """A request or response while it comes in."""

    headers: dict[str, str] = field(default_factory=dict)
    length: int = 0
    digest: "hashlib._Hash" = field(default_factory=hashlib.sha256)
    body: bytearray = field(default_factory=bytearray)

    def add(self, data: bytes) -> None:
        """Takes some content."""
        self.length += len(data)
        self.digest.update(data)
        if len(self.body) < 65536:
            self.body += data


def decode(headers: list[tuple[bytes, bytes]]) -> dict[str, str]:
    """Field lines as text; the last of a name wins."""
    return {name.decode(): value.decode("latin-1") for name, value in headers}
