"""BOX-09: `galloper login` with a real HTTP server as the provider, which may be slow, refuse or lie."""

from __future__ import annotations

import io
import json
import stat
import threading
import tomllib
import urllib.request
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from service.cli.login import FILE, PROVIDERS, LoginOptions, MailProvider, log_in
from service.config import ConfigError, MailIn, OAuth
from service.mail.access.grants import (
    Client,
    DeviceCode,
    LoginFailed,
    LoopbackListener,
    begin_browser_login,
    begin_device_login,
    finish_browser_login,
    wait_for_owner,
)
from service.mail.access.oauth import NoToken, Tokens

Answer = tuple[int, bytes]
DEVICE: Answer = (200, json.dumps({
    "device_code": "of the device", "user_code": "ABCD-EFGH", "interval": "5", "expires_in": 900,
    "verification_uri": "https://provider.example/device"}).encode())  # fmt: skip
GRANTED: Answer = (200, json.dumps({
    "access_token": "short", "refresh_token": "kept-for-long", "scope": "https://mail.example/"}).encode())


def error(code: str) -> Answer:
    return 400, json.dumps({"error": code, "error_description": "\x1b[31m words of a stranger"}).encode()


@dataclass
class FakeProvider:
    """Answers from a list, the last one for ever; `asked` are the forms."""

    answers: list[Answer] = field(default_factory=list)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    server: ThreadingHTTPServer | None = None

    @property
    def address(self) -> str:
        assert self.server is not None
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def client(self, *, device: bool = True) -> Client:
        return Client(f"{self.address}/token", "https://mail.example/ offline_access", "an-id", "a-secret",
                      f"{self.address}/authorize", f"{self.address}/device" if device else "")

    def forms(self) -> list[dict[str, str]]:
        return [form for _, form in self.asked]


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    fake = FakeProvider()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            fake.asked.append((self.path, {key: texts[0] for key, texts in parse_qs(body).items()}))
            status, answer = fake.answers.pop(0) if len(fake.answers) > 1 else fake.answers[0]
            if status == 0:
                # No HTTP at all: a proxy gone mad, or a wrong port.
                self.wfile.write(answer)
                return
            self.send_response(status)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    fake.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=fake.server.serve_forever, daemon=True).start()
    yield fake
    fake.server.shutdown()
    fake.server.server_close()


@dataclass
class Watch:
    """A clock that sleeping moves on."""

    at: float = 0.0
    pauses: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.at += seconds

    def now(self) -> float:
        return self.at


def waited(provider: FakeProvider, *answers: Answer, interval: float = 5.0) -> tuple[str, Watch]:
    provider.answers = [*answers]
    watch = Watch()
    code = DeviceCode("ABCD", "https://provider.example/device", "of the device", interval, 900.0)
    return wait_for_owner(provider.client(), code, sleep=watch.sleep, now=watch.now), watch


# A typed code (RFC 8628) ------------------------------------------------------------------------------------


def test_a_code_is_waited_for_at_the_pace_the_provider_asks(provider: FakeProvider) -> None:
    token, watch = waited(provider, error("authorization_pending"), error("slow_down"),
                          error("authorization_pending"), GRANTED)
    assert token == "kept-for-long"
    # RFC 8628, 3.5: slow_down adds five seconds, for this and all later questions.
    assert watch.pauses == [5.0, 5.0, 10.0, 10.0]
    assert provider.forms()[0] == {
        "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": "of the device",
        "client_id": "an-id", "client_secret": "a-secret"}


def test_a_provider_that_fails_for_a_while_is_asked_less_often(provider: FakeProvider) -> None:
    token, watch = waited(provider, (503, b"busy"), (0, b"\x00 no http\r\n"), (200, b"[1, 2"), GRANTED)
    assert token == "kept-for-long"
    assert watch.pauses == [5.0, 5.0, 10.0, 20.0]


@pytest.mark.parametrize(("answer", "words"), [
    (error("access_denied"), "Permission was refused"),
    (error("authorization_declined"), "Permission was refused"),
    (error("expired_token"), "not entered in time"),
    (error("invalid_client"), "refused the login (invalid_client)"),
    ((200, b'{"access_token": "short"}'), "no refresh token"),
    ((200, b'{"refresh_token": "two words"}'), "no refresh token"),
    ((200, b'{"refresh_token": "kept", "scope": "openid"}'), "does not allow mail"),
])  # fmt: skip
def test_no_means_no_in_a_sentence(provider: FakeProvider, answer: Answer, words: str) -> None:
    with pytest.raises(LoginFailed) as caught:
        waited(provider, answer)
    assert words in str(caught.value)
    assert "nothing was stored" in str(caught.value)
    assert "\x1b" not in str(caught.value)
    assert len(provider.asked) == 1


def test_nobody_waits_for_ever(provider: FakeProvider) -> None:
    provider.answers, watch = [error("authorization_pending")], Watch()
    code = DeviceCode("ABCD", "https://provider.example/device", "of the device", 5.0, 60.0)
    with pytest.raises(LoginFailed, match="not entered in time"):
        wait_for_owner(provider.client(), code, sleep=watch.sleep, now=watch.now)
    assert watch.at == 60.0


@pytest.mark.parametrize("changed", [
    {"user_code": "\x1b[2Jowned"}, {"verification_uri": "file:///etc/passwd"}, {"device_code": None},
    {"verification_uri": "https://a.example/\nOpen https://evil.example"},
])  # fmt: skip
def test_a_code_that_could_fool_a_terminal_is_not_shown(
    provider: FakeProvider, changed: dict[str, object]
) -> None:
    provider.answers = [(200, json.dumps(json.loads(DEVICE[1]) | changed).encode())]
    with pytest.raises(LoginFailed, match="nothing was stored"):
        begin_device_login(provider.client())


# A browser (RFC 8252) ---------------------------------------------------------------------------------------


def test_a_browser_login_keeps_state_and_verifier_to_itself(provider: FakeProvider) -> None:
    login = begin_browser_login(provider.client(), "http://127.0.0.1:1/")
    query = {key: texts[0] for key, texts in parse_qs(urlsplit(login.address).query).items()}
    provider.answers = [GRANTED]
    token = finish_browser_login(provider.client(), login, f"/?state={query['state']}&code=4/0abc")
    assert token == "kept-for-long"
    (form,) = provider.forms()
    # RFC 7636, 4.6: the provider hashes the verifier and compares it with the challenge of the address.
    hashed = urlsafe_b64encode(sha256(form["code_verifier"].encode()).digest()).rstrip(b"=").decode()
    assert (query["code_challenge"], query["code_challenge_method"]) == (hashed, "S256")
    assert form["code_verifier"] not in login.address
    assert 43 <= len(form["code_verifier"]) <= 128
    assert (form["code"], form["redirect_uri"]) == ("4/0abc", query["redirect_uri"])


@pytest.mark.parametrize("came_back", [
    "/?state=another&code=4/0abc", "/?code=4/0abc", "", "http://[", "/?state={state}&state={state}&code=x",
    "/?state={state}&error=access_denied", "/?state={state}", "/?state=\u00e9&code=x",
])  # fmt: skip
def test_another_answer_is_never_used(provider: FakeProvider, came_back: str) -> None:
    login = begin_browser_login(provider.client(), "http://127.0.0.1:1/")
    with pytest.raises(LoginFailed, match="nothing was stored"):
        finish_browser_login(provider.client(), login, came_back.format(state=login.state))
    assert provider.asked == []


def test_one_answer_on_loopback_and_the_port_is_closed() -> None:
    listener = LoopbackListener(seconds=20.0)
    answers: list[int] = []

    def ask(path: str, host: str) -> None:
        request = urllib.request.Request(f"{listener.redirect}{path}", headers={"Host": host})
        with suppress(urllib.error.HTTPError), urllib.request.urlopen(request, timeout=5) as response:
            answers.append(response.status)

    def browse() -> None:
        ours = f"127.0.0.1:{listener.port}"
        ask("favicon.ico", ours)
        ask("?state=rebound&code=1", f"attacker.example:{listener.port}")
        ask("?state=s&code=c", ours)

    thread = threading.Thread(target=browse)
    thread.start()
    assert listener.wait() == "/?state=s&code=c"
    thread.join()
    assert answers == [200]
    with pytest.raises(OSError):  # noqa: PT011 refused or reset, by the system
        urllib.request.urlopen(listener.redirect, timeout=2)


def test_a_browser_that_does_not_come_back_is_not_waited_for() -> None:
    assert LoopbackListener(seconds=0.2).wait() == ""


# The command ------------------------------------------------------------------------------------------------


def doors(provider: FakeProvider, *, device: bool) -> dict[str, MailProvider]:
    known = PROVIDERS["microsoft" if device else "google"]
    client = replace(provider.client(device=device), client_id="", client_secret="")
    return {"microsoft": replace(known, doors=client)}


@pytest.mark.parametrize("device", [True, False])
def test_the_token_is_stored_for_its_owner_alone_and_never_printed(
    provider: FakeProvider, tmp_path: Path, capsys: pytest.CaptureFixture[str], *, device: bool
) -> None:
    provider.answers = [DEVICE, GRANTED] if device else [GRANTED]
    secret_file = tmp_path / "client-secret"
    secret_file.write_text("a-secret\n")
    out = io.StringIO()

    def pasted() -> str:
        address = next(word for word in capsys.readouterr().err.split() if "/authorize?" in word)
        return f"http://127.0.0.1:1/?code=4%2F0&state={parse_qs(urlsplit(address).query)['state'][0]}\n"

    log_in(tmp_path, LoginOptions("outlook", "an-id", secret_file, paste=True), out,
           providers=doors(provider, device=device), read_line=pasted, sleep=lambda _seconds: None)
    stored = tmp_path / FILE
    assert stored.read_text().strip() == "kept-for-long"
    assert stat.S_IMODE(stored.stat().st_mode) == 0o600
    printed = out.getvalue() + "".join(capsys.readouterr())
    for secret in ("kept-for-long", "a-secret", "of the device", "short"):
        assert secret not in printed
    # What is printed is what the settings take.
    table = tomllib.loads(out.getvalue().partition("\n\n")[2])
    assert MailIn.model_validate(table["mail_in"]).oauth == OAuth.model_validate(table["mail_out"]["oauth"])


def test_an_unknown_provider_is_answered_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"did you mean google\?"):
        log_in(tmp_path, LoginOptions("gogle", "x"), io.StringIO())
    with pytest.raises(ConfigError, match="app password"):
        log_in(tmp_path, LoginOptions("icloud", "x"), io.StringIO())


def test_nothing_is_stored_when_it_fails(provider: FakeProvider, tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("the one from before")
    provider.answers = [DEVICE, error("access_denied")]
    with pytest.raises(LoginFailed):
        log_in(tmp_path, LoginOptions("microsoft", "x"), io.StringIO(),
               providers=doors(provider, device=True), sleep=lambda _seconds: None)
    assert [path.name for path in tmp_path.iterdir()] == [FILE]
    assert (tmp_path / FILE).read_text() == "the one from before"


# Afterwards -------------------------------------------------------------------------------------------------


def test_a_renewed_refresh_token_is_kept_and_a_new_login_counts_at_once(
    provider: FakeProvider, tmp_path: Path
) -> None:
    path = tmp_path / FILE
    path.write_text("first\n")
    provider.answers = [(200, b'{"access_token": "a", "expires_in": 1, "refresh_token": "second"}'),
                        (200, b'{"access_token": "b", "expires_in": 1}')]
    settings = OAuth(token_url=f"{provider.address}/token", client_id="x", refresh_token_file=str(path))
    assert Tokens(settings, "mail_in.oauth").token() == "a"
    assert path.read_text().strip() == "second"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    tokens = Tokens(settings, "mail_in.oauth")
    path.write_text("of another login\n")
    assert tokens.token() == "b"
    assert [form["refresh_token"] for form in provider.forms()] == ["first", "of another login"]
    path.unlink()
    with pytest.raises(NoToken, match="galloper login"):
        Tokens(settings, "mail_in.oauth").token()
