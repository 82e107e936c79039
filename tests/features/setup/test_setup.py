"""The first run of a site, in a terminal and on a page, with Dovecot and a relay to it."""

from __future__ import annotations

import io
import socket
import tomllib
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import httpx
import pytest
from fastapi.testclient import TestClient

import templates
from service.clock import SystemClock
from service.features.setup import steps
from service.features.setup.conversation import Terminal, converse
from service.features.setup.page import FirstRun, serve_page, setup_app
from service.features.setup.questions import due
from service.features.setup.settings_file import filled_in, settings_text
from service.mail import hosts
from service.mail.authentication.presets import preset
from service.site_folder import FILE, SiteError, opened, settings_of
from service.web import sessions
from tests.support.servers.dovecot import PASSWORD, USER, Dovecot
from tests.support.servers.smtp_sink import SmtpSink

ORDERS = "orders@first.example"
TEMPLATE = (Path(templates.__file__).parent / "site" / FILE).read_text("utf-8")


class Relay:
    """Hands what the sink takes to the mailbox, as a provider does with a mail to itself."""

    def __init__(self, sink: SmtpSink, mailbox: Dovecot) -> None:
        self._sink, self._mailbox, self._stop = sink, mailbox, Event()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        handed = 0
        while not self._stop.wait(0.2):
            for letter in list(self._sink.letters)[handed:]:
                self._mailbox.deliver(letter.data, ORDERS)
                handed += 1

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()


@pytest.fixture
def relay(dovecot: Dovecot, smtp_sink: SmtpSink) -> Iterator[Relay]:
    relay = Relay(smtp_sink, dovecot)
    yield relay
    relay.stop()


def _answers(sink: SmtpSink, dovecot: Dovecot) -> dict[str, str]:
    """In the order in which they are asked."""
    return {
        "order_address": ORDERS, "provider": hosts.OTHER, "imap_host": "127.0.0.1",
        "imap_port": str(dovecot.imap), "smtp_host": "127.0.0.1", "smtp_port": str(sink.port), "user": USER,
        "mail_password": PASSWORD, "relay_login": "no", "coordinator": "ada@first.example",
        "base_url": "https://orders.first.example/", "name": "Ada", "desk_password": "a-long-password",
    }


def _terminal(*lines: str) -> Terminal:
    return Terminal(io.StringIO("".join(f"{line}\n" for line in lines)), io.StringIO())


def _printed(terminal: Terminal) -> str:
    assert isinstance(terminal.out, io.StringIO)
    return terminal.out.getvalue()


def test_a_site_is_set_up_in_a_terminal(
    relay: Relay, smtp_sink: SmtpSink, dovecot: Dovecot, tmp_path: Path
) -> None:
    """REL-06: questions, the mailbox tried, settings with all their remarks, an account, a trial mail that
    came back, and what remains."""
    folder = tmp_path / "site"
    terminal = _terminal(*_answers(smtp_sink, dovecot).values(), "yes")
    converse(folder, terminal)
    printed = _printed(terminal)
    assert "ok a trial mail was sent and came back" in printed
    assert f"1. Start the site, and leave it running: galloper serve {folder}" in printed
    assert "https://orders.first.example in a browser and sign in as Ada" in printed
    assert PASSWORD not in printed
    settings = settings_of(folder, {})
    assert (settings.order_address, settings.coordinator) == (ORDERS, "ada@first.example")
    assert (settings.mail_in.port, settings.mail_in.password) == (dovecot.imap, PASSWORD)
    assert (settings.mail_out.port, settings.mail_out.user) == (smtp_sink.port, "")
    assert settings.web.base_url == "https://orders.first.example"
    with opened(settings) as store, store.begin() as session:
        assert sessions.sign_in(session, "Ada", "a-long-password", SystemClock().now()) is not None
    text = (folder / FILE).read_text("utf-8")
    remarks = [line for line in TEMPLATE.splitlines() if line.startswith("#") and "base_url" not in line]
    assert [line for line in remarks if line not in text] == []
    assert (folder / FILE).stat().st_mode & 0o077 == 0
    # The running site takes the trial mail for its own, and no sheet comes of it.
    assert f"From: Galloper <{ORDERS}>".encode() in dovecot.contents()[0]


def test_what_does_not_fit_is_asked_again_and_nothing_is_written_before_the_mailbox_answers(
    smtp_sink: SmtpSink, dovecot: Dovecot, tmp_path: Path
) -> None:
    """REL-06."""
    folder = tmp_path / "site"
    right = list(_answers(smtp_sink, dovecot).values())
    wrong = [*right[:7], "another password", "no"]
    terminal = _terminal("orders at first", *wrong, "yes", *right[:9])
    with pytest.raises(SiteError, match="input ended"):
        converse(folder, terminal)
    printed = _printed(terminal)
    assert "This is not a mail address such as orders@example.org." in printed
    assert "Answer these questions again?" in printed
    assert not folder.exists()


def test_a_site_with_settings_is_tested_and_keeps_them(
    relay: Relay, smtp_sink: SmtpSink, dovecot: Dovecot, tmp_path: Path
) -> None:
    """REL-06: an interrupted setup goes on where it was."""
    answers = _answers(smtp_sink, dovecot)
    steps.write_site(tmp_path, answers)
    before = (tmp_path / FILE).read_bytes()
    terminal = _terminal("Ada", "short", "a-long-password", "no")
    converse(tmp_path, terminal)
    assert (tmp_path / FILE).read_bytes() == before
    assert "A password has at least 10 characters." in _printed(terminal)
    assert "Ada can sign in at the desk now." in _printed(terminal)


def test_a_site_is_set_up_on_a_page(
    relay: Relay, smtp_sink: SmtpSink, dovecot: Dovecot, tmp_path: Path
) -> None:
    """REL-06, REL-05: the same by browser, with an address that works once."""
    run = FirstRun(tmp_path / "site")
    app = setup_app(run)
    visitor, stranger = TestClient(app), TestClient(app)
    assert stranger.get("/").status_code == 403
    assert stranger.get("/open/guess").status_code == 403
    assert "Set up your site" in visitor.get(f"/open/{run.key}").text
    assert stranger.get(f"/open/{run.key}").status_code == 403
    answers = _answers(smtp_sink, dovecot)
    assert stranger.post("/", data=answers).status_code == 403
    refused = visitor.post("/", data=answers | {"mail_password": "another password", "name": ""})
    assert "An answer is needed here." in refused.text
    refused = visitor.post("/", data=answers | {"mail_password": "another password"})
    assert refused.status_code == 400
    assert "Write the settings though the mailbox does not answer yet" in refused.text
    assert "another password" not in refused.text
    assert not run.folder.exists()
    page = visitor.post("/", data=answers)
    assert "The tests of your site" in page.text
    assert "sign in as Ada" in page.text
    assert "was sent and came back" in visitor.post("/trial").text
    assert stranger.post("/end").status_code == 403
    assert not run.ended.is_set()
    assert "The setup is done" in visitor.post("/end").text
    assert run.ended.is_set()


def test_the_command_serves_the_page_until_its_last_step(tmp_path: Path) -> None:
    """REL-06: the printed address opens it, and the command ends with it."""
    steps.write_site(tmp_path, {
        "order_address": ORDERS, "provider": "Posteo", "user": ORDERS, "mail_password": "",
        "coordinator": "ada@first.example"})
    out = io.StringIO()
    command = Thread(target=serve_page, args=(tmp_path, "127.0.0.1", 0, out))
    command.start()
    while "/open/" not in out.getvalue():
        command.join(0.05)
        assert command.is_alive()
    address = next(word for word in out.getvalue().split() if word.startswith("http"))
    with httpx.Client(follow_redirects=True) as browser:
        assert "Set up your site" in browser.get(address).text
        assert browser.post(address.partition("/open/")[0] + "/end").status_code == 200
    command.join(20)
    assert not command.is_alive()


def test_each_provider_has_what_the_settings_want() -> None:
    """REL-06: its word is known, and its addresses name it."""
    for host in hosts.HOSTS:
        assert preset(host.key).key == host.key
        for domain in host.domains:
            assert hosts.likely_host(f"orders@{domain.upper()}") is host
    assert hosts.likely_host("orders@example.org") is None


def test_a_known_provider_is_asked_for_no_servers() -> None:
    """REL-06: its servers, ports and the word whose stamps count are in the file."""
    answers = {"order_address": "orders@fastmail.com", "provider": "Fastmail"}
    assert not {question.name for question in due(answers)} & {"imap_host", "smtp_port", "relay_login"}
    text = settings_text(answers | {
        "user": "orders@fastmail.com", "mail_password": 'a "quoted" \\ word',
        "coordinator": "ada@example.org"})
    mail_in, mail_out = (tomllib.loads(text)[name] for name in ("mail_in", "mail_out"))
    assert (mail_in["provider"], mail_in["host"], mail_in["port"]) == ("fastmail", "imap.fastmail.com", 993)
    assert (mail_out["host"], mail_out["port"]) == ("smtp.fastmail.com", 465)
    assert mail_in["password"] == mail_out["password"] == 'a "quoted" \\ word'
    assert "trusted_authserv_ids" not in mail_in


def test_a_setting_without_a_line_in_the_template_is_our_own_fault() -> None:
    with pytest.raises(KeyError, match="no_such_setting"):
        filled_in(TEMPLATE, {("web", "no_such_setting"): "x"})


def test_a_place_that_can_hold_no_site_is_told_before_the_first_question(tmp_path: Path) -> None:
    """REL-06: not after twelve answers."""
    (tmp_path / "file").write_text("x")
    for folder in (tmp_path / "file", tmp_path / "file" / "site"):
        terminal = _terminal()
        with pytest.raises(SiteError, match="file is a file; give a folder for the site"):
            converse(folder, terminal)
        assert not _printed(terminal)


def test_a_port_in_use_names_the_option(tmp_path: Path) -> None:
    """REL-06"""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(SiteError, match="Choose another port with --port"):
            serve_page(tmp_path, "127.0.0.1", taken.getsockname()[1], io.StringIO())
