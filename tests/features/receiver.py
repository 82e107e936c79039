"""Another program that receives a webhook: a server over TLS on this machine that keeps what it is sent."""

from __future__ import annotations

import hashlib
import hmac
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from bench.servers.certificates import make_certificate
from service.config import Webhook
from service.features.programs.webhooks import SIGNATURE, Poster

SECRET = "0123456789abcdef0123456789abcdef"


@dataclass
class Receiver:
    """`came`: path, headers and body of each request. `status` is its answer, `location` where it leads;
    before `goes_on` is set it answers nothing, and sends a letter of its answer every `drip` seconds."""

    server: ThreadingHTTPServer
    context: ssl.SSLContext
    came: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    status: int = 204
    location: str = ""
    goes_on: threading.Event = field(default_factory=threading.Event)
    drip: float = 0.0

    def hook(self, key: str = "k") -> Webhook:
        """The setting that names it; each `key` is another address of the same program."""
        return Webhook(url=f"https://localhost:{self.server.server_port}/told?key={key}", secret=SECRET)

    def poster(self) -> Poster:
        """One that may post to this machine, and trusts the certificate."""
        return Poster(resolve=lambda _host, _port: ["127.0.0.1"], context=self.context,
                      is_allowed=lambda _address: True)

    def is_signed(self, headers: dict[str, str], body: bytes) -> bool:
        """Whether a message is signed as the documents say (RFC 2104), by the standard library."""
        seconds, digest = (part.partition("=")[2] for part in headers[SIGNATURE].split(","))
        mine = hmac.new(SECRET.encode(), seconds.encode() + b"." + body, hashlib.sha256)
        return hmac.compare_digest(mine.hexdigest(), digest)


@contextmanager
def receiving(folder: Path) -> Iterator[Receiver]:
    """A receiver that runs, with its certificate in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    certificate, key = make_certificate(folder)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            listener.came.append((self.path, dict(self.headers), body))
            self._wait()
            try:
                self.send_response(listener.status)
                if listener.location:
                    self.send_header("Location", listener.location)
                self.end_headers()
            except OSError:
                """No one listens any more."""

        def _wait(self) -> None:
            while not listener.goes_on.wait(listener.drip or None):
                try:
                    self.wfile.write(b"H")
                except OSError:
                    return

        def log_message(self, *_words: object) -> None:
            """Prints nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate, key)
    server.socket = tls.wrap_socket(server.socket, server_side=True)
    listener = Receiver(server, ssl.create_default_context(cafile=str(certificate)))
    listener.goes_on.set()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield listener
    finally:
        listener.goes_on.set()
        server.shutdown()
        thread.join()
        server.server_close()
