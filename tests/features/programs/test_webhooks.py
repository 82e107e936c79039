"""BEY-06: other programs are informed that results are out, by a signed POST without content."""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from pydantic import ValidationError
from sqlalchemy import select

from service.config import Notice, Webhook
from service.features.programs import webhooks as webhooks_module
from service.features.programs.webhooks import (
    APPROVED,
    DELIVERED,
    FAILED,
    TURNS,
    NotDelivered,
    Poster,
    Webhooks,
    addresses_of,
    is_public,
    place_of,
    send_notice,
    webhook_finding,
)
from service.games.phases import phase_of, phase_title
from service.operations.findings import Finding, FindingState
from service.store.tables import EventRow, GameRow
from tests.features.receiver import SECRET, Receiver, receiving
from tests.support.acting import enter
from tests.support.site import Site
from tests.support.table import open_table


@pytest.fixture
def receiver(tmp_path: Path) -> Iterator[Receiver]:
    with receiving(tmp_path) as listener:
        yield listener


def approve(site: Site) -> str:
    table = open_table(site)
    with site.store.begin() as session:
        enter(session, site.clock.now(), "Ada", APPROVED, game_id=table.game,
                          detail={"phase": "Summer 1642 Movement"})
    return table.game


def game_of(site: Site) -> str:
    with site.store() as session:
        return session.scalars(select(GameRow.id)).one()


def webhooks(site: Site, receiver: Receiver) -> Webhooks:
    return Webhooks(site.store, site.clock, (receiver.hook(),), receiver.poster())


def turn(hooks: Webhooks) -> int:
    """A look, and what it began; how many addresses got something."""
    begun = hooks.look()
    assert hooks.wait_idle(60)
    return begun


def logged(site: Site, kind: str) -> list[dict[str, object]]:
    with site.store() as session:
        return list(session.scalars(select(EventRow.detail).where(EventRow.what == kind)))


def test_an_address_is_told_once_and_can_check_who_told_it(site: Site, receiver: Receiver) -> None:
    hooks = webhooks(site, receiver)
    assert turn(hooks) == 0
    game = approve(site)
    assert turn(hooks) == 1
    for hours in (0, 1, 23):
        site.clock.advance(timedelta(hours=hours))
        assert turn(hooks) == 0
    [(path, headers, body)] = receiver.came
    assert path == "/told?key=k"
    message = json.loads(body)
    assert datetime.fromisoformat(message.pop("sent_at")).tzinfo is not None
    assert message.pop("id")
    assert message == {"event": "results", "game": game, "phase": "Summer 1642 Movement", "number": 1}
    assert receiver.is_signed(headers, body)
    assert not receiver.is_signed(headers, body + b" ")
    assert len(logged(site, DELIVERED)) == 1
    assert "localhost" not in json.dumps(logged(site, DELIVERED))


def test_a_phase_is_named_as_the_api_names_it(site: Site, receiver: Receiver) -> None:
    """BEY-06: by its number too, so that a program finds it there."""
    hooks, table = webhooks(site, receiver), open_table(site)
    retreats = next(row for row in table.phases() if row.kind == "retreat")
    with site.store.begin() as session:
        enter(session, site.clock.now(), "Ada", APPROVED, game_id=table.game,
                          detail={"phase": str(phase_of(retreats))})
    assert turn(hooks) == 1
    message = json.loads(receiver.came[0][2])
    assert (message["phase"], message["number"]) == (phase_title(retreats), retreats.ordinal)
    assert message["phase"].endswith("Retreat")


def test_an_address_that_fails_is_tried_again_for_a_day(site: Site, receiver: Receiver) -> None:
    hooks, receiver.status = webhooks(site, receiver), 500
    approve(site)
    begun = site.clock.now()
    for pause in TURNS:
        site.clock.set(begun + pause)
        assert turn(hooks) == 1
        assert turn(hooks) == 0
    assert len(receiver.came) == len(TURNS)
    assert {str(detail["why"]) for detail in logged(site, FAILED)} == {"it answered 500"}
    site.clock.set(begun + timedelta(hours=25))
    receiver.status = 204
    assert turn(hooks) == 0


def test_one_that_answers_later_is_told_then(site: Site, receiver: Receiver) -> None:
    hooks, receiver.status = webhooks(site, receiver), 503
    approve(site)
    turn(hooks)
    receiver.status = 200
    site.clock.advance(timedelta(minutes=6))
    assert turn(hooks) == 1
    site.clock.advance(timedelta(hours=3))
    assert turn(hooks) == 0
    assert len(logged(site, DELIVERED)) == 1


def test_an_address_that_hangs_holds_up_no_other(site: Site, receiver: Receiver, tmp_path: Path) -> None:
    """BEY-06: nor the look itself, and it is not asked twice at a time."""
    with receiving(tmp_path) as other:
        receiver.goes_on.clear()
        hooks = Webhooks(site.store, site.clock, (receiver.hook(), other.hook("other")), lambda hook, *rest: (
            other if hook == other.hook("other") else receiver).poster()(hook, *rest))
        approve(site)
        assert hooks.look() == 2
        for _ in range(200):
            if other.came and receiver.came and len(logged(site, DELIVERED)) == 1:
                break
            time.sleep(0.05)
        # The first still waits; more results are out, and the second gets them too.
        with site.store.begin() as session:
            enter(session, site.clock.now(), "Ada", APPROVED, game_id=game_of(site),
                              detail={"phase": "Autumn 1642 Movement"})
        assert hooks.look() == 1
        for _ in range(200):
            if len(other.came) == 2:
                break
            time.sleep(0.05)
        assert (len(receiver.came), len(other.came)) == (1, 2)
        receiver.goes_on.set()
        assert hooks.wait_idle(30)
        assert turn(hooks) == 1
        assert len(receiver.came) == 2


def test_an_answer_letter_by_letter_is_cut_off(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    """A timeout of a socket is for each of its waits; ours is for the whole."""
    monkeypatch.setattr(webhooks_module, "PATIENCE", 0.6)
    receiver.goes_on.clear()
    receiver.drip = 0.2
    with pytest.raises(NotDelivered, match=r"did not answer within 0\.6 seconds"):
        receiver.poster()(receiver.hook(), b"{}", 1)
    assert not receiver.goes_on.is_set()


def test_an_address_where_nobody_listens_is_told_from_one_that_hangs() -> None:
    """Each was "it did not answer" with a name of Python's."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    post = Poster(resolve=lambda _host, _port: ["127.0.0.1"], is_allowed=lambda _address: True)
    with pytest.raises(NotDelivered, match="it refused the connection"):
        post(Webhook(url=f"https://bot.example.org:{port}/", secret=SECRET), b"{}", 1)


@pytest.mark.parametrize("addresses", [
    ["127.0.0.1"], ["10.1.2.3"], ["192.168.0.1"], ["169.254.169.254"], ["::1"], ["fd00::1"], ["fe80::1"],
    ["::ffff:10.0.0.1"], ["100.64.0.1"], ["8.8.8.8", "10.0.0.1"], [],
    # MBX-05: other addresses packed into them, relays, groups of machines, what is for documents alone.
    ["64:ff9b::a00:1"], ["64:ff9b:1::a00:1"], ["2002:a00:1::1"], ["2001::a00:1"], ["::10.0.0.1"], ["fec0::1"],
    ["ff0e::1"], ["224.0.0.1"], ["239.1.1.1"], ["240.0.0.1"], ["255.255.255.255"], ["192.88.99.1"],
    ["192.0.0.8"], ["198.18.0.1"], ["0.0.0.0"], ["::"], ["2001:db8::1"], ["3fff::1"], ["5f00::1"], ["100::1"],
])
def test_a_private_address_is_not_asked(receiver: Receiver, addresses: list[str]) -> None:
    post = Poster(resolve=lambda _host, _port: addresses, context=receiver.context)
    with pytest.raises(NotDelivered, match="private address"):
        post(receiver.hook(), b"{}", 1)
    assert receiver.came == []


def test_addresses_of_the_public_network_are_asked() -> None:
    for address in ("8.8.8.8", "185.199.108.153", "2606:4700:4700::1111", "2a00:1450:4001:80b::200e"):
        assert is_public(address), address


def test_the_name_is_looked_up_and_localhost_is_private(receiver: Receiver) -> None:
    assert "127.0.0.1" in addresses_of("localhost", 443)
    with pytest.raises(NotDelivered, match="private address"):
        Poster(context=receiver.context)(receiver.hook(), b"{}", 1)


def test_a_redirect_is_not_followed_and_a_strange_certificate_is_refused(receiver: Receiver) -> None:
    receiver.status, receiver.location = 302, receiver.hook().url
    with pytest.raises(NotDelivered, match="answered 302, and redirects are not followed"):
        receiver.poster()(receiver.hook(), b"{}", 1)
    assert len(receiver.came) == 1
    strict = Poster(resolve=lambda _host, _port: ["127.0.0.1"], is_allowed=lambda _address: True)
    with pytest.raises(NotDelivered, match="its certificate is not trusted"):
        strict(receiver.hook(), b"{}", 1)
    assert len(receiver.came) == 1


@pytest.mark.slow
def test_a_notice_by_apprise_says_which_results_are_out(site: Site) -> None:
    """By the library itself, in its JSON form, over HTTP to this machine."""
    came: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            came.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_words: object) -> None:
            """Prints nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        hooks = Webhooks(site.store, site.clock, (
            Notice(url=f"json://127.0.0.1:{server.server_port}/x"), Notice(url="nonsense://x")))
        game = approve(site)
        assert turn(hooks) == 2
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    [notice] = came
    assert (notice["title"], notice["message"]) == ("Results are out", f"{game}: Summer 1642 Movement")
    assert len(logged(site, DELIVERED)) == 1
    assert [detail["why"] for detail in logged(site, FAILED)] == ["apprise does not support this address"]


def test_without_the_library_a_notice_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "apprise", None)
    with pytest.raises(NotDelivered, match=r"galloper\[notices\]"):
        send_notice(Notice(url="ntfy://topic"), b"{}")


@pytest.mark.parametrize("url", [
    "http://a.example/x", "https://", "ftp://a.example", "https://me:pw@a.example/"])
def test_only_https_addresses_without_a_name_and_password_are_taken(url: str) -> None:
    with pytest.raises(ValidationError):
        Webhook(url=url, secret=SECRET)
    with pytest.raises(ValidationError):
        Webhook(url="https://a.example/x", secret="short")


def test_health_says_whose_notices_do_not_get_through(site: Site, receiver: Receiver) -> None:
    """How many of which game, to which address, since when, why, and what to do; nothing of an address that
    may be a secret (BEY-06)."""
    def finding() -> Finding:
        with site.store() as session:
            return webhook_finding(session, site.clock.now())

    assert finding().state is FindingState.WELL
    hook = Webhook(url="https://tenant-4711.hooks.example.org/T0/B1/secret?key=5", secret=SECRET)
    status = ["it answered 500"]

    def post(_hook: object, _body: bytes, _seconds: int) -> None:
        if status:
            raise NotDelivered(status[0])

    hooks = Webhooks(site.store, site.clock, (hook,), post)
    approve(site)
    turn(hooks)
    site.clock.advance(timedelta(hours=3))
    turn(hooks)
    trouble = finding()
    assert trouble.is_trouble
    assert trouble.sentence == (
        "Powick Bridge: 1 notice to a webhook at …example.org failed, first tried 3 hours ago; "
        "the last time it answered 500.")
    assert "settings" in trouble.advice
    with site.store() as session:
        logs = json.dumps([event.detail for event in session.scalars(select(EventRow))])
    for secret in ("4711", "hooks.", "T0", "B1", "key=5", SECRET):
        assert secret not in trouble.sentence + trouble.advice + logs
    status.clear()
    site.clock.advance(timedelta(hours=3))
    turn(hooks)
    assert finding().state is FindingState.WELL


def test_a_service_is_called_by_its_kind_alone() -> None:
    """The first part of such an address is often the token itself."""
    assert place_of(Notice(url="tgram://123:token/chat")) == "a notice by tgram"
    assert place_of(Webhook(url="https://example.org/x", secret=SECRET)) == "a webhook at example.org"
