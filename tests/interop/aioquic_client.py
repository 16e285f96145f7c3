"""An HTTP/3 client made of aioquic, for the interoperability tests.

    aioquic_client.py PORT CERTIFICATE.der '[{"path": "/bytes/9", ...}, ...]'

Sends all requests at once on one connection to 127.0.0.1, in the order given,
and prints one JSON object for each response when it is complete. A request has
`path`, and may have `method`, `priority` (the field), `update` (the value of a
PRIORITY_UPDATE sent right after all requests), `early_update` (one sent before
them) and `body`.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import sys
from pathlib import Path

from aioquic.asyncio import QuicConnectionProtocol, connect
from aioquic.buffer import encode_uint_var
from aioquic.h3.connection import H3_ALPN, H3Connection, encode_frame
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ConnectionTerminated, QuicEvent, StreamReset

from common import PRIORITY_UPDATE, Message, decode

TIMEOUT_S = 60


class Client(QuicConnectionProtocol):
    """One connection."""

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.h3 = H3Connection(self._quic)
        self.paths: dict[int, str] = {}
        self.responses: dict[int, Message] = {}
        self.done = asyncio.get_running_loop().create_future()

    def send(self, requests: list[dict]) -> None:
        streams = [4 * i for i in range(len(requests))]
        for stream, request in zip(streams, requests):
            self.update(stream, request.get("early_update"))
        for stream, request in zip(streams, requests):
            assert self._quic.get_next_available_stream_id() == stream
            headers = [
                (b":method", request.get("method", "GET").encode()),
                (b":scheme", b"https"),
                (b":authority", b"localhost"),
                (b":path", request["path"].encode()),
                (b"user-agent", b"aioquic"),
            ]
            if "priority" in request:
                headers.append((b"priority", request["priority"].encode()))
            body = request.get("body", "").encode()
            self.paths[stream] = request["path"]
            self.responses[stream] = Message()
            self.h3.send_headers(stream, headers, end_stream=not body)
            if body:
                self.h3.send_data(stream, body, end_stream=True)
        for stream, request in zip(streams, requests):
            self.update(stream, request.get("update"))
        self.transmit()

    def update(self, stream: int, value: str | None) -> None:
        if value is not None:
            payload = encode_uint_var(stream) + value.encode()
            frame = encode_frame(PRIORITY_UPDATE, payload)
            self._quic.send_stream_data(self.h3._local_control_stream_id, frame)

    def quic_event_received(self, event: QuicEvent) -> None:
        if isinstance(event, (ConnectionTerminated, StreamReset)) and not self.done.done():
            self.done.set_exception(RuntimeError(repr(event)))
        for http_event in self.h3.handle_event(event):
            if not isinstance(http_event, (HeadersReceived, DataReceived)):
                continue
            response = self.responses[http_event.stream_id]
            if isinstance(http_event, HeadersReceived):
                response.headers = response.headers or decode(http_event.headers)
            else:
                response.add(http_event.data)
            if http_event.stream_ended:
                self.finished(http_event.stream_id)

    def finished(self, stream: int) -> None:
        response = self.responses.pop(stream)
        report = {
            "path": self.paths[stream],
            "status": int(response.headers[":status"]),
            "length": response.length,
            "sha256": response.digest.hexdigest(),
            "headers": response.headers,
        }
        print(json.dumps(report), flush=True)
        if not self.responses and not self.done.done():
            self.done.set_result(None)


async def main(port: int, certificate: bytes, requests: list[dict]) -> None:
    configuration = QuicConfiguration(
        is_client=True, alpn_protocols=H3_ALPN, server_name="localhost"
    )
    configuration.load_verify_locations(cadata=ssl.DER_cert_to_PEM_cert(certificate).encode())
    async with connect(
        "127.0.0.1", port, configuration=configuration, create_protocol=Client
    ) as client:
        client.send(requests)
        await asyncio.wait_for(client.done, TIMEOUT_S)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), Path(sys.argv[2]).read_bytes(), json.loads(sys.argv[3])))
