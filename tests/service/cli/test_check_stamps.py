"""BOX-02: `galloper check` proposes the setting from the mails of a real Dovecot, and trusts no forger."""

from __future__ import annotations

import io
import json
import tomllib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from service.cli.check_site import check_site
from service.cli.check_stamps import check_stamps
from service.config import MailIn, Settings
from service.mail.authentication.authenticate import authenticate
from service.mail.headers import addresses, split_mail
from service.mail.stamp_survey import Certainty, survey
from service.mail.trust_settings import trust_of
from service.operations.findings import FindingState
from service.site_folder import settings_of
from tests.support.own_site import deliver, own_site
from tests.support.servers.dovecot import PASSWORD, USER, Dovecot

WORLD: Path = Path(__file__).parents[2] / "data" / "mail" / "world" / "providers"
INDEX: dict[str, Any] = json.loads((WORLD / "index.json").read_text("utf-8"))
ORDERS = "orders@lettersite.example"
OWN = {"exim": "mail.lettersite.example", "postfix": "mx.lettersite.example",
       "mailcow": "mail.lettersite.example"}
"""Servers of one's own, whose names no preset can know."""


def cases(provider: str) -> list[dict[str, Any]]:
    return [case for case in INDEX["cases"] if case["provider"] == provider]


def raw(case: dict[str, Any]) -> bytes:
    return (WORLD / str(case["file"])).read_bytes()


@pytest.fixture(scope="module")
def server() -> Iterator[Dovecot]:
    dovecot = Dovecot().start()
    yield dovecot
    dovecot.remove()


def site_with(server: Dovecot, folder: Path, mails: Sequence[bytes], **mail_in: Any) -> Settings:
    """A site whose mailbox has these mails, the last one the newest, and nothing else."""
    settings = settings_of(own_site(folder))
    with server.client() as client:
        client.select_folder("INBOX")
        if seen := client.search("ALL"):
            client.delete_messages(seen)
            client.expunge()
        for number, mail in enumerate(mails):
            client.append("INBOX", mail, msg_time=datetime(2025, 7, 5, 9, number, tzinfo=UTC))
    box = MailIn(host="127.0.0.1", port=server.imap, tls=False, user=USER, password=PASSWORD, **mail_in)
    return settings.model_copy(update={"mail_in": box, "order_address": ORDERS})


def accepted(line: str, case: dict[str, Any]) -> bool:
    """Whether a mail counts as authenticated with a proposed line as the site's setting."""
    headers = split_mail(raw(case))[0]
    (sender,) = addresses(headers.all("from"))
    trust = trust_of(MailIn.model_validate(tomllib.loads(line)))
    return authenticate(headers, trust, sender.rpartition("@")[2]).is_proved


@pytest.mark.slow
@pytest.mark.parametrize("provider", sorted(INDEX["providers"]))
def test_each_provider_is_known_by_its_mails(server: Dovecot, tmp_path: Path, provider: str) -> None:
    site = site_with(server, tmp_path, [raw(case) for case in cases(provider)])
    finding = check_stamps(site)
    assert finding.state is FindingState.NOTE
    if provider in OWN:
        assert OWN[provider] in finding.advice
    else:
        assert finding.advice == f'provider = "{provider}"'
    assert "not sure" not in finding.sentence
    for case in cases(provider):
        # Its stamps are where older milters put them, next to what a sender writes.
        if "below-received" not in case["file"]:
            assert accepted(finding.advice, case) == (case["expect"]["verdict"] == "accepted"), case["file"]
    # With the proposal as the setting the check has nothing more to say.
    again = site.mail_in.model_validate(site.mail_in.model_dump() | tomllib.loads(finding.advice))
    assert check_stamps(site.model_copy(update={"mail_in": again})).state is FindingState.WELL


def forged(case: dict[str, Any], below: bytes) -> bytes:
    """A provider's mail, stamps and all, as a stranger would send it to a server that stamps nothing."""
    return (b"Received: from vps.attacker.example (vps.attacker.example [198.51.100.3])\r\n"
            b"\tby " + below + b" (Postfix) with ESMTPS id 5ED709017D\r\n"
            b"\tfor <orders@lettersite.example>; Sat, 05 Jul 2025 11:06:38 +0000\r\n") + raw(case)


@pytest.mark.slow
@pytest.mark.parametrize("provider", sorted(INDEX["providers"]))
def test_a_mailbox_full_of_forged_stamps_brings_no_trust(
    server: Dovecot, tmp_path: Path, provider: str
) -> None:
    # The forger knows the server's own name and writes stamps in it, too.
    mails = [forged(case, b"mx.lettersite.example") for case in cases(provider) * 5][:20]
    finding = check_stamps(site_with(server, tmp_path, mails))
    assert finding.advice == ""
    assert "this mailbox does not stamp its mails" in finding.sentence
    assert "own_proof" in finding.sentence


def test_forged_helo_and_received_lines_move_no_border() -> None:
    """A stranger who calls himself by our name, and writes our next line, is below the border."""
    stamp = b"Authentication-Results: mx.lettersite.example; dmarc=pass header.from=player.example\r\n"
    mails = [split_mail(
        b"Received: from mx.lettersite.example (vps.attacker.example [198.51.100.3])\r\n"
        b"\tby mx.lettersite.example (Postfix) with ESMTPS; Sat, 05 Jul 2025 11:06:38 +0000\r\n" + stamp +
        b"Received: from mail.player.example by mx.lettersite.example with ESMTPS;\r\n"
        b"\tSat, 05 Jul 2025 11:06:37 +0000\r\nFrom: hal@player%d.example\r\n\r\n" % number)[0]
        for number in range(20)]
    assert survey(mails, "imap.lettersite.example", ORDERS).lines == ()


def test_a_server_of_another_name_than_the_site_s_is_likely_and_never_sure() -> None:
    """It may be a relay in front of the mailbox."""
    mails = [split_mail(raw(case))[0] for case in cases("postfix")]
    assert survey(mails, "imap.lettersite.example", ORDERS).certainty is Certainty.SURE
    assert survey(mails, "imap.elsewhere.example", "orders@elsewhere.example").certainty is Certainty.LIKELY


def test_one_mail_is_not_sure_and_another_is_asked_for(server: Dovecot, tmp_path: Path) -> None:
    finding = check_stamps(site_with(server, tmp_path, [raw(cases("gmail")[0])]))
    assert finding.advice == 'provider = "gmail"'
    assert "likely, not sure" in finding.sentence
    assert "Send a mail from another provider" in finding.sentence


def test_the_server_one_logs_in_to_says_enough() -> None:
    result = survey([], "imap.gmail.com", ORDERS)
    assert (result.lines, result.certainty) == (('provider = "gmail"',), Certainty.SURE)
    # And a mail that was not stamped there does not change whose server it is.
    assert survey([split_mail(raw(cases("zoho")[0]))[0]], "imap.gmail.com", ORDERS).lines == result.lines


def test_a_setting_that_does_not_fit_is_to_be_mended(server: Dovecot, tmp_path: Path) -> None:
    mails = [raw(case) for case in cases("icloud")]
    finding = check_stamps(site_with(server, tmp_path, mails, provider="gmail"))
    assert finding.state is FindingState.TROUBLE
    assert "the settings fit 0 of the newest 5 mails" in finding.sentence
    assert finding.advice == 'provider = "icloud"'


def test_nothing_is_marked_or_moved(server: Dovecot, tmp_path: Path) -> None:
    site = site_with(server, tmp_path, [raw(case) for case in cases("zoho")])
    check_stamps(site)
    with server.client() as client:
        client.select_folder("INBOX", readonly=True)
        uids = client.search("ALL")
        assert len(uids) == 4
        flags = {flag for of_mail in client.get_flags(uids).values() for flag in of_mail}
        # Dovecot 2.4 itself notes of each mail whether it has an attachment.
        assert not flags - {rb"\Recent", b"$HasAttachment", b"$HasNoAttachment"}


@pytest.mark.slow
def test_the_proposal_can_be_pasted_and_read_by_programs(tmp_path: Path) -> None:
    folder = own_site(tmp_path / "site")
    for case in cases("fastmail"):
        deliver(folder, raw(case))
    text, lines = io.StringIO(), io.StringIO()
    check_site(folder, text)
    assert '                provider = "fastmail"' in text.getvalue().splitlines()
    check_site(folder, lines, as_json=True)
    findings = {finding["test"]: finding for finding in map(json.loads, lines.getvalue().splitlines())}
    assert findings["stamps"]["propose"] == ['provider = "fastmail"']
