"""What the aioquic client and server share."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

PRIORITY_UPDATE = 0xF0700
"""PRIORITY_UPDATE of a request stream: RFC 9218, section 7.2."""


def pattern(length: int) -> bytes:
    """The body of `/bytes/LENGTH`: byte i is i mod 251."""
    period = bytes(range(251))
    return (period * (length // 251 + 1))[:length]


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
