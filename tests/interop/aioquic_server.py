"""An HTTP/3 server made of aioquic, for the interoperability tests.

Writes its self-signed certificate (DER) to the path given, then prints
`port N`. Serves until its standard input closes.

    /bytes/N   N bytes, byte i is i mod 251
    /echo      what was sent
    /updates   the PRIORITY_UPDATE frames of this connection, as JSON
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from aioquic.asyncio import QuicConnectionProtocol, serve
from aioquic.buffer import Buffer
from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.h3.events import DataReceived, H3Event, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ProtocolNegotiated, QuicEvent, StreamDataReceived

from common import PRIORITY_UPDATE, Message, certify, decode, pattern


def priority_updates(control_stream: bytes) -> dict[int, list[str]]:
    """The values of the PRIORITY_UPDATE frames by request stream.

    aioquic passes these frames over, so this reads the control stream itself:
    a stream type, then frames of type, length and payload.
    """
    updates: dict[int, list[str]] = {}
    buffer = Buffer(data=control_stream)
    buffer.pull_uint_var()
    while not buffer.eof():
        frame_type = buffer.pull_uint_var()
        payload = Buffer(data=buffer.pull_bytes(buffer.pull_uint_var()))
        if frame_type == PRIORITY_UPDATE:
            stream = payload.pull_uint_var()
            value = payload.pull_bytes(payload.capacity - payload.tell()).decode("ascii")
            updates.setdefault(stream, []).append(value)
    return updates


class Server(QuicConnectionProtocol):
    """One connection."""

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.h3: H3Connection | None = None
        self.control_stream = bytearray()
        self.requests: dict[int, Message] = {}

    def quic_event_received(self, event: QuicEvent) -> None:
        if isinstance(event, ProtocolNegotiated):
            self.h3 = H3Connection(self._quic)
        # A client of ours opens its control stream first.
        if isinstance(event, StreamDataReceived) and event.stream_id == 2:
            self.control_stream += event.data
        if self.h3 is not None:
            for http_event in self.h3.handle_event(event):
                self.http_event_received(http_event)

    def http_event_received(self, event: H3Event) -> None:
        if isinstance(event, HeadersReceived):
            request = self.requests.setdefault(event.stream_id, Message())
            request.headers = request.headers or decode(event.headers)
        elif isinstance(event, DataReceived):
            self.requests[event.stream_id].add(event.data)
        else:
            return
        if event.stream_ended:
            self.respond(event.stream_id, self.requests.pop(event.stream_id))

    def respond(self, stream: int, request: Message) -> None:
        path = request.headers[":path"]
        status = 200
        if path.startswith("/bytes/"):
            body = pattern(int(path.removeprefix("/bytes/")))
        elif path == "/echo":
            body = bytes(request.body)
        elif path == "/updates":
            body = json.dumps(priority_updates(bytes(self.control_stream))).encode()
        else:
            status, body = 404, b"not here"
        headers = [
            (b":status", str(status).encode()),
            (b"content-length", str(len(body)).encode()),
            (b"x-priority", request.headers.get("priority", "").encode()),
            (b"server", b"aioquic"),
        ]
        bare = request.headers[":method"] == "HEAD" or not body
        self.h3.send_headers(stream, headers, end_stream=bare)
        if not bare:
            self.h3.send_data(stream, body, end_stream=True)
        self.transmit()


def make_identity(certificate_path: Path) -> QuicConfiguration:
    """A fresh key and certificate for `localhost`."""
    certificate, key = certify(certificate_path)
    configuration = QuicConfiguration(is_client=False, alpn_protocols=H3_ALPN)
    configuration.certificate = certificate
    configuration.private_key = key
    return configuration


async def main(certificate_path: Path) -> None:
    configuration = make_identity(certificate_path)
    server = await serve("127.0.0.1", 0, configuration=configuration, create_protocol=Server)
    port = server._transport.get_extra_info("sockname")[1]
    print(f"port {port}", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
