"""A provider of access tokens on loopback: gives them out, and shows a mail server whether one is good."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from service.config import OAuth

CLIENT, SECRET, REFRESH = "galloper", "of the client", "given once to the operator"


@dataclass
class Provider:
    """`asked` are the forms it was sent; tokens are "token-1", "token-2" and so on; those in `good` pass, for
    `user`. With a `fault`, (status, body), it answers that."""

    user: str = "orders"
    life: int = 3600
    asked: list[dict[str, str]] = field(default_factory=list)
    good: set[str] = field(default_factory=set)
    fault: tuple[int, bytes] | None = None
    renews: str | int = ""
    _server: ThreadingHTTPServer | None = None

    @property
    def address(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def settings(self, **more: str) -> OAuth:
        return OAuth(token_url=f"{self.address}/token", client_id=CLIENT, client_secret=SECRET,
                     **{"refresh_token": REFRESH, **more})  # fmt: skip

    def start(self) -> Provider:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                self._say(*provider.give({key: values[0] for key, values in parse_qs(body).items()}))

            def do_GET(self) -> None:
                token = parse_qs(urlsplit(self.path).query).get("token", [""])[0]
                self._say(
                    200, json.dumps({"active": token in provider.good, "username": provider.user}).encode()
                )

            def _say(self, status: int, body: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            # http.server writes a line to standard error for each request otherwise.
            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        # A daemon: a test that fails before `stop` does not keep the process alive.
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def stop(self) -> None:
        assert self._server is not None
        self._server.shutdown()
        self._server.server_close()

    def give(self, form: dict[str, str]) -> tuple[int, bytes]:
        self.asked.append(form)
        if self.fault is not None:
            return self.fault
        token = f"token-{len(self.asked)}"
        self.good.add(token)
        answer = {"access_token": token, "expires_in": self.life, "token_type": "Bearer"}
        return 200, json.dumps(answer | ({"refresh_token": self.renews} if self.renews else {})).encode()
