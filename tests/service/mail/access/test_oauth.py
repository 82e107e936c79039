"""Logins by access token, at Dovecot and at a mail sink, and by implicit TLS; every certificate is
verified."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from service import config
from service.config import ConfigError, MailIn, MailOut, read_settings
from service.mail.access.oauth import NoToken, Tokens
from service.mail.mailbox.imap import ImapSource
from service.mail.mailbox.ingest import IngestCounts
from service.mail.mailbox.source import MailboxError
from service.mail.sending.outbox import SendCounts, SmtpTransport, send_due
from tests.support.letters import LETTER, SENDER, write
from tests.support.mails import simple
from tests.support.servers.certificates import make_certificate
from tests.support.servers.dovecot import USER, Dovecot
from tests.support.servers.mailboxes import take
from tests.support.servers.provider import CLIENT, REFRESH, SECRET, Provider
from tests.support.servers.smtp_sink import SmtpSink
from tests.support.site import Site


@pytest.fixture
def provider() -> Iterator[Provider]:
    running = Provider().start()
    yield running
    running.stop()


class Watch:
    """A clock in seconds, to be moved."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_a_token_is_asked_for_once_and_anew_a_minute_before_its_end(provider: Provider) -> None:
    watch = Watch()
    tokens = Tokens(provider.settings(), "mail_in.oauth", now=watch)
    assert [tokens.token(), tokens.token()] == ["token-1"] * 2
    assert provider.asked == [{
        "client_id": CLIENT, "client_secret": SECRET, "grant_type": "refresh_token", "refresh_token": REFRESH,
    }]
    # The provider's tokens live 3,600 s; the last 60 s are not used.
    watch.seconds = 3539
    assert tokens.token() == "token-1"
    watch.seconds = 3541
    assert tokens.token() == "token-2"
    tokens.forget()
    assert tokens.token() == "token-3"


def test_a_new_refresh_token_takes_the_place_of_the_old_one(provider: Provider) -> None:
    provider.renews = "the next one"
    tokens = Tokens(provider.settings(), "mail_in.oauth")
    for _ in range(2):
        tokens.token()
        tokens.forget()
    assert [form["refresh_token"] for form in provider.asked] == [REFRESH, "the next one"]


def test_what_is_no_text_takes_no_refresh_tokens_place(provider: Provider) -> None:
    provider.renews = 7
    tokens = Tokens(provider.settings(), "mail_in.oauth")
    for _ in range(2):
        tokens.token()
        tokens.forget()
    assert [form["refresh_token"] for form in provider.asked] == [REFRESH, REFRESH]


def test_without_a_refresh_token_the_application_asks_in_its_own_name(provider: Provider) -> None:
    tokens = Tokens(
        provider.settings(refresh_token="", scope="https://mail.example/.default"), "mail_in.oauth"
    )
    assert tokens.token() == "token-1"
    assert provider.asked == [{
        "client_id": CLIENT, "client_secret": SECRET, "grant_type": "client_credentials",
        "scope": "https://mail.example/.default",
    }]


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ((400, b'{"error": "invalid_grant", "error_description": "of the client"}'), r"\(invalid_grant\)"),
        ((503, b"<html>busy"), r"\(503\)"),
        ((400, b'{"error": "%s"}' % (b"a" * 60)), r"\(400\)"),
        ((200, b"not JSON"), r"\(JSONDecodeError\)"),
        ((200, b"[]"), r"\(no JSON object\)"),
        ((200, b'{"access_token": ""}'), r"\(no access_token\)"),
        ((200, '{"access_token": "ä\\r\\nX: 1"}'.encode()), r"\(no access_token\)"),
    ],
)
def test_a_provider_that_gives_none_is_one_sentence_without_a_secret(
    provider: Provider, fault: tuple[int, bytes], says: str
) -> None:
    provider.fault = fault
    with pytest.raises(NoToken, match=(rf"^The provider 127\.0\.0\.1 gives no access token {says}; check "
                                       rf"mail_in\.oauth")) as caught:
        Tokens(provider.settings(), "mail_in.oauth").token()
    assert not any(secret in str(caught.value) for secret in (SECRET, REFRESH))


def test_a_provider_in_clear_is_refused(tmp_path: Path) -> None:
    (tmp_path / "galloper.toml").write_text(
        # A refresh token that travels in the clear opens the mailbox to anyone who listens.
        'data = "data"\norder_address = "a@b.example"\ncoordinator = "a@b.example"\n[mail_in]\n'
        '[mail_in.oauth]\ntoken_url = "http://provider.example/token"\nclient_id = "x"\n[mail_out]\nsender '
        '= "a@b.example"\n')  # fmt: skip
    with pytest.raises(ConfigError, match=r"mail_in\.oauth\.token_url"):
        read_settings(tmp_path / "galloper.toml", {})


@pytest.mark.slow
def test_dovecot_lets_in_who_has_a_good_token_and_says_who_has_not(site: Site, provider: Provider) -> None:
    server = Dovecot(introspection=f"{provider.address}/introspect?token=").start()
    try:
        server.append(simple(1))
        coming = MailIn(host="127.0.0.1", port=server.imap, tls=False, user=USER, oauth=provider.settings())
        source = ImapSource(coming)
        assert take(site, source) == IngestCounts(new=1)
        source.close()
        provider.good.clear()
        with pytest.raises(MailboxError, match=r"refused the login; check mail_in\.user and mail_in\.oauth"):
            source.list_waiting()
        # The refused token was dropped, and another one is asked for.
        assert source.list_waiting() == []
        source.close()
        provider.fault = (400, b'{"error": "invalid_client"}')
        with pytest.raises(MailboxError, match="invalid_client"):
            ImapSource(coming).list_waiting()
    finally:
        server.remove()


def test_letters_leave_by_token_and_stay_while_it_is_refused(site: Site, provider: Provider) -> None:
    sink = SmtpSink(token="token-2").start()
    try:
        leaving = MailOut(
            host="127.0.0.1",
            port=sink.port,
            starttls=False,
            user="orders",
            sender=SENDER,
            oauth=provider.settings(),
        )
        transport = SmtpTransport(leaving, seconds=5)
        write(site, LETTER)
        outcome = send_due(site.store, site.blobs, transport, site.clock, sender=SENDER)
        assert "refused the login; check mail_out.user and mail_out.oauth" in outcome.down
        assert sink.letters == []
        assert send_due(site.store, site.blobs, transport, site.clock, sender=SENDER) == SendCounts(sent=1)
        # The form that Google and Microsoft ask for.
        assert sink.logins == ["user=orders\1auth=Bearer token-1\1\1", "user=orders\1auth=Bearer token-2\1\1"]
    finally:
        sink.stop()


def test_port_465_is_encrypted_from_the_start_and_its_certificate_verified(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = make_certificate(tmp_path)
    sink = SmtpSink(certificate=certificate, implicit=True).start()
    # 465 on a real server.
    monkeypatch.setattr(config, "IMPLICIT_TLS_PORT", sink.port)
    try:
        leaving = MailOut(host="localhost", port=sink.port, sender=SENDER)
        assert leaving.encrypted
        write(site, LETTER)
        doubtful = SmtpTransport(leaving, seconds=5)
        outcome = send_due(site.store, site.blobs, doubtful, site.clock, sender=SENDER)
        assert "certificate" in outcome.down
        trusting = SmtpTransport(
            leaving, seconds=5, context=ssl.create_default_context(cafile=str(certificate[0]))
        )
        assert send_due(site.store, site.blobs, trusting, site.clock, sender=SENDER) == SendCounts(sent=1)
    finally:
        sink.stop()


def test_a_relay_that_takes_only_tokens_is_told_to_whoever_set_a_password(site: Site) -> None:
    sink = SmtpSink(token="token-1").start()
    try:
        leaving = MailOut(
            host="127.0.0.1", port=sink.port, starttls=False, user="orders", password="x", sender=SENDER
        )
        write(site, LETTER)
        outcome = send_due(
            site.store, site.blobs, SmtpTransport(leaving, seconds=5), site.clock, sender=SENDER
        )
        assert "offers no login by password; see mail_out.oauth" in outcome.down
    finally:
        sink.stop()
