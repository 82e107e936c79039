"""A whole house for long plays: the site that `galloper serve` runs, its desk on a socket, a Maildir for
orders and a folder of letters, and people who come to its doors with a browser or a mail.

Nothing looks at the clock by itself: `House.settle` does all work whose time has come, so that a play is the
same every time.
"""

from __future__ import annotations

import email
import email.policy
import email.utils
import mailbox
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.message import EmailMessage
from hashlib import sha256
from html import unescape
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from unittest.mock import patch

import httpx

from bench.servers.ports import free_port
from service.bootstrap import Site, open_site
from service.clock import SimulatedClock
from service.config import MailIn, MailOut, ReaderSettings, Settings, Web
from service.features.programs import webhooks
from service.features.programs.api import PREFIX
from service.web import sessions
from service.web.server import WebServer
from tests.features.receiver import Receiver
from tests.support.desk_table import carried
from tests.support.mail_builder import mail, part, stamp, text
from tests.support.own_site import deliver
from tests.support.table import COORDINATOR, ORDERS, SERVER

PASSWORD = "correct horse battery"
PATIENCE = 300.0
"""Seconds for the work of one moment, on a busy machine."""


def plain(html: str) -> str:
    """The contents of a page, without its tags."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


@dataclass
class Browser:
    """A person's browser at the site."""

    client: httpx.Client

    def page(self, path: str, status: int = 200) -> str:
        answer = self.client.get(path)
        assert answer.status_code == status, (path, answer.status_code, plain(answer.text)[:600])
        return answer.text

    def says(self, path: str, status: int = 200) -> str:
        return plain(self.page(path, status))

    def data(self, path: str) -> bytes:
        answer = self.client.get(path)
        assert answer.status_code == 200, (path, answer.status_code, plain(answer.text)[:600])
        return answer.content

    def look_and_send(
        self, page: str, path: str, fields: Mapping[str, str] = {}, **values: Any
    ) -> httpx.Response:
        """Send a form that first shows what it does, and then the form of that page as it is."""
        look = self.send(page, path, 200, fields, **values)
        answer = self.client.post(path, data=carried(look.text, path))
        assert answer.status_code == 303, (path, answer.status_code, plain(answer.text)[:600])
        return answer

    def send(
        self, page: str, path: str, status: int = 303, fields: Mapping[str, str] = {}, **values: Any
    ) -> httpx.Response:
        """Send a form of a page to `path`, with the page's token; `fields`: those whose names are no
        words."""
        token = re.search(r'name="csrf" value="([^"]+)"', self.page(page))
        assert token is not None, page
        answer = self.client.post(path, data={"csrf": token[1], **fields, **values})
        assert answer.status_code == status, (path, answer.status_code, plain(answer.text)[:600])
        return answer


@dataclass
class House:
    """A site that runs, and its doors. `tokens`: each program's, by the program's name."""

    folder: Path
    clock: SimulatedClock
    site: Site
    web: WebServer
    tokens: Mapping[str, str]
    sent: dict[str, list[bytes]] = field(default_factory=dict)
    _mails: dict[Path, tuple[bytes, EmailMessage]] = field(default_factory=dict)
    _browsers: list[httpx.Client] = field(default_factory=list)

    # Work and time
    # --------------------------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Do all work whose time has come: mails, openings, deadlines, letters, webhooks."""
        keys: tuple[str, ...] = ("at least once",)
        while keys:
            self.site.take_in()
            self._work()
            keys = self.site.look()
            self._work()
            # Webhooks wait for no one: an address may hang.
            for interval in (each for work in self.site.features for each in work.intervals):
                interval.body()

    def _work(self) -> None:
        assert self.site.jobs.wait_idle(PATIENCE), "work went on for too long"

    def until(self, moment: datetime) -> None:
        """Go on to a moment, if it is not past, and do what it brings."""
        self.clock.set(max(moment, self.clock.now()))
        self.settle()

    def wait(self, is_done: Callable[[], bool]) -> None:
        """Wait for what happens outside the queue."""
        end = monotonic() + PATIENCE
        while not is_done():
            assert monotonic() < end, "waited for too long"
            sleep(0.05)

    # Mail
    # --------------------------------------------------------------------------------------------------------

    def mail_in(self, sender: str, subject: str, parts: Sequence[bytes] = (), *, proof: str = "pass",
                words: str = "With my compliments.") -> None:
        """A mail arrives now, with the mail server's own lines on top. `words`: its text."""
        now, domain = self.clock.now(), sender.rpartition("@")[2]
        count = sum(map(len, self.sent.values()))
        received = email.utils.format_datetime(now)
        raw = mail(
            subject, sender, parts=[text(words), *parts],
            stamps=[stamp(domain, proof, SERVER)],
            headers=[f"Received: from mx.{domain} by {SERVER} with ESMTPS id {count}; {received}",
                     f"Message-ID: <{count}@{domain}>", f"Date: {received}"])
        self.sent.setdefault(sender, []).append(raw)
        deliver(self.folder, raw, received_at=now)

    def letters(self, to: str, kind: str = "") -> list[EmailMessage]:
        """The letters that left for an address, the oldest first; of one kind if it is named."""
        return [letter for _, letter in self._left_for(to, kind)]

    def raw_letters(self, to: str) -> list[bytes]:
        """The same as bytes."""
        return [raw for raw, _ in self._left_for(to, "")]

    def _left_for(self, to: str, kind: str) -> list[tuple[bytes, EmailMessage]]:
        begin = f"<{kind.replace('_', '')}." if kind else "<"
        for path in sorted((self.folder / "outbox").glob("*.eml")):
            if path not in self._mails:
                raw = path.read_bytes()
                self._mails[path] = raw, email.message_from_bytes(raw, policy=email.policy.default)
        return [(raw, letter) for raw, letter in self._mails.values() if to in str(letter["To"])
                and str(letter["Message-ID"]).startswith(begin)]

    # Doors
    # --------------------------------------------------------------------------------------------------------

    def browser(self) -> Browser:
        """A browser that no one has used."""
        client = httpx.Client(base_url=self.web.address, timeout=PATIENCE,
                              headers={"Origin": self.web.address, "Connection": "close"})
        self._browsers.append(client)
        return Browser(client)

    def at_desk(self, name: str) -> Browser:
        """A browser in which a person has signed in at the desk."""
        browser = self.browser()
        answer = browser.client.post("/sign-in", data={"name": name, "password": PASSWORD})
        assert answer.status_code == 303, plain(answer.text)
        return browser

    def visit(self, address: str) -> Browser:
        """A browser in which a player came in by a link that was mailed on request."""
        # Three links an hour are mailed to one address.
        self.clock.set(self.clock.now() + timedelta(minutes=21))
        browser = self.browser()
        assert browser.client.post("/public/entry", data={"mail": address}).status_code == 303
        self.settle()
        link = link_in(self.letters(address, "link")[-1], "/public/me/")
        assert browser.client.post(link).status_code == 303
        return browser

    def ask(self, path: str, program: str = "") -> httpx.Response:
        """What a program gets from the API; without a name, one without a token."""
        token = self.tokens.get(program, program)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.get(f"{self.web.address}{PREFIX}{path}", headers=headers, timeout=PATIENCE)


def words_of(letter: EmailMessage) -> str:
    """The text of a letter without its line ends."""
    body = letter.get_body(("plain",))
    assert body is not None
    return " ".join(str(body.get_content()).split())


def link_in(letter: EmailMessage, path: str) -> str:
    """The path of the link of a kind in a letter."""
    match = re.search(rf"https?://[^/\s]+({re.escape(path)}[\w/-]*[\w-]{{43}})", words_of(letter))
    assert match is not None, words_of(letter)
    return match[1]


@contextmanager
def open_house(folder: Path, now: datetime, receivers: Sequence[Receiver] = (), *,
               people: Mapping[str, str] = {"Ada": "coordinator"}, tokens: Mapping[str, str] = {},
               ) -> Iterator[House]:
    """A site without a game. `people`: who may sign in at the desk, and as what."""
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port()
    mailbox.Maildir(str(folder / "box"), create=True)
    settings = Settings(
        data=str(folder / "data"), order_address=ORDERS, coordinator=COORDINATOR,
        mail_in=MailIn(kind="maildir", path=str(folder / "box"), trusted_authserv_ids=(SERVER,)),
        mail_out=MailOut(kind="folder", path=str(folder / "outbox"), sender=f"Galloper <{ORDERS}>"),
        # A player's hand is learnt for later seasons; these plays have a photograph or two.
        reader=ReaderSettings(players_hands=False),
        web=Web(secure_cookies=False, base_url=f"http://127.0.0.1:{port}",
                api_tokens=tuple(sha256(token.encode()).hexdigest() for token in tokens.values())),
        webhooks=tuple(receiver.hook() for receiver in receivers))
    clock = SimulatedClock(now)
    site = open_site(settings, clock=clock, polls=False)
    with site.store.begin() as session:
        for name, role in people.items():
            sessions.add_user(session, name, PASSWORD, now, role)
    web = WebServer(site.desk(), "127.0.0.1", port)
    by_port = {str(receiver.server.server_port): receiver for receiver in receivers}

    def post(hook: Any, body: bytes, seconds: int) -> None:
        # The real one refuses what is not on the internet, and these receivers are on this machine.
        port_of = re.search(r":(\d+)/", hook.url)
        assert port_of is not None
        by_port[port_of[1]].poster()(hook, body, seconds)

    with patch.object(webhooks, "Poster", lambda: post):
        site.jobs.start()
        web.start()
        house = House(folder, clock, site, web, tokens)
        try:
            yield house
        finally:
            for client in house._browsers:
                client.close()
            web.stop()
            for work in site.features:
                work.stop()
            site.jobs.stop()
            site.transport.close()
            site.engine.dispose()


def photograph(data: bytes) -> bytes:
    """A photograph as the part of a mail."""
    return part(data)
