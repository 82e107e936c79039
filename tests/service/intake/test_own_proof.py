"""A mailbox that stamps nothing: a mail is proved by its own signature, or waits for DNS (BOX-03)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from service import scheduler
from service.games import mailbox_waits
from service.intake import waiting_proof
from service.intake.opening.sandbox import ChildFault
from service.intake.sender_proof import is_expected
from service.mail.authentication.dns import TableLookup, TxtAnswer, TxtState
from service.mail.authentication.trust import Trust, trust_in
from service.mail.authentication.verdict import Authentication, AuthResult, Method, Proof
from service.mail.body.read import BodyNeed, MailBody
from service.mail.mailbox import ingest
from service.store.tables import MailRow, MailState, PhaseState
from tests.support.mail_builder import mail, part, picture, stamp, text
from tests.support.signing import key, signed
from tests.support.site import Site
from tests.support.table import COORDINATOR, SERVER, Table, address, open_table

PLAYER = address("Montrose")
DOMAIN = PLAYER.rpartition("@")[2]
MINUTE = timedelta(minutes=1)


class Fickle:
    """DNS that is away until it is back. `asked`: how often."""

    def __init__(self, *, away: bool) -> None:
        self.away = away
        self.asked = 0
        self.table = TableLookup({f"s1._domainkey.{DOMAIN}": key().record})

    def txt(self, name: str, seconds: float) -> TxtAnswer:
        self.asked += 1
        if self.away:
            return TxtAnswer(TxtState.UNAVAILABLE, fault="did not answer within 5 seconds")
        return self.table.txt(name, seconds)


@pytest.fixture
def table(site: Site) -> Table:
    opened = open_table(site)
    opened.trust, opened.dns = Trust(own_proof=True), Fickle(away=False)
    site.jobs.register(ingest.WORK, opened.handle_mail)
    return opened


def sheet(table: Table, *, sender: str = PLAYER, stamps: Sequence[str] = ()) -> bytes:
    raw = mail(table.subject("Montrose"), sender, parts=[text(), part(picture(90))], stamps=stamps)
    return signed(raw, key(), domain=DOMAIN, signed_names="from:subject")


def dns_of(table: Table, *, away: bool) -> Fickle:
    table.dns = dns = Fickle(away=away)
    return dns


def look(table: Table, after: timedelta) -> MailRow:
    """Let time pass, run what is due, and return the one mail."""
    table.site.clock.advance(after)
    scheduler.due_now(table.site.clock, table.site.store, table.site.jobs)
    while table.site.jobs.queue and table.site.jobs.queue[0][0] == ingest.WORK:
        _, _, payload = table.site.jobs.queue.popleft()
        table.handle_mail(payload)
    with table.site.store() as session:
        return session.query(MailRow).one()


def test_a_good_signature_is_proof_and_is_kept(table: Table) -> None:
    row = table.take(sheet(table), table.phase().opens_at + MINUTE)

    assert (row.state, row.sender) == (MailState.USED, PLAYER)
    assert table.written_letters() == [("receipt", PLAYER)]
    assert row.proof is not None
    assert row.proof["proof"] == {"method": "own-dkim", "by": "ourselves", "domain": DOMAIN}
    assert DOMAIN in row.proof["reason"]


def test_a_site_may_forbid_it(table: Table) -> None:
    table.trust = Trust()
    row = table.take(sheet(table), table.phase().opens_at + MINUTE)

    assert (row.state, row.reason) == (MailState.QUARANTINED, "auth_failed")


def test_a_mail_without_a_stamp_is_expected_where_its_signature_may_prove_it(table: Table) -> None:
    raw = sheet(table)
    with table.site.store() as session:
        assert [is_expected(session, raw, trust) for trust in (Trust(own_proof=True), Trust())] == [
            True, False]


def test_only_a_proof_of_our_own_is_taken_from_the_store() -> None:
    """What a mail server stamped is read from the mail again, so that a stamp that is no longer trusted is
    none."""
    def stored(method: Method) -> dict[str, Any]:
        proof = Proof(method, "ourselves", DOMAIN)
        return waiting_proof.dump_authentication(Authentication(AuthResult.PASS, proof, "a reason"))

    taken = {method for method in Method if waiting_proof.kept_proof(stored(method)) is not None}
    assert taken == {Method.OWN_DKIM, Method.LINK}


@pytest.mark.parametrize("said", ["pass", "fail"])
def test_what_the_mail_server_said_is_not_overruled(table: Table, said: str) -> None:
    table.trust = trust_in((SERVER,), own_proof=True)
    dns = dns_of(table, away=False)
    row = table.take(sheet(table, stamps=[stamp(DOMAIN, said, SERVER)]), table.phase().opens_at + MINUTE)

    assert (row.state == MailState.USED) == (said == "pass")
    assert dns.asked == 0
    assert row.proof is not None
    assert row.proof["result"] == said


def test_a_mail_waits_while_dns_is_away_and_counts_when_it_is_back(table: Table) -> None:
    """Neither refused nor taken, no one is written to, and the next try is a minute later."""
    dns = dns_of(table, away=True)
    row = table.take(sheet(table), table.phase().opens_at + MINUTE)

    assert (row.state, row.tries) == (MailState.STORED, 1)
    assert row.proof is not None
    assert row.proof["reason"] == f"The DNS of {DOMAIN} did not answer within 5 seconds."
    assert table.written_letters() == []
    assert look(table, 0.5 * MINUTE).tries == 1
    assert look(table, MINUTE).tries == 2
    dns.away = False
    assert look(table, MINUTE).state == MailState.STORED
    row = look(table, 5 * MINUTE)
    assert (row.state, row.try_again_at) == (MailState.USED, None)
    assert table.written_letters() == [("receipt", PLAYER)]


def test_a_deadline_waits_for_the_mail_too(table: Table) -> None:
    """The phase stays open for the mail that came in time, says so, and closes when it is proved."""
    dns = dns_of(table, away=True)
    phase = table.phase()
    table.site.clock.set(phase.deadline - MINUTE)
    table.take(sheet(table), phase.deadline - MINUTE)
    table.site.clock.set(phase.deadline + MINUTE)

    table.close_phase(phase.id)
    assert table.phase().state == PhaseState.OPEN
    with table.site.store() as session:
        wait = mailbox_waits.standing(session, phase.id)
    assert wait is not None
    assert "1 mail that came in time" in wait.why
    dns.away = False
    table.close_phase(phase.id)
    assert table.phase().state == PhaseState.CLOSED
    assert [entry.power for entry in table.submissions()] == ["Montrose"]


def test_after_half_a_day_the_coordinator_decides(table: Table) -> None:
    dns_of(table, away=True)
    table.take(sheet(table), table.phase().opens_at + MINUTE)
    look(table, waiting_proof.PATIENCE - MINUTE)
    row = look(table, 2 * timedelta(hours=1))

    assert (row.state, row.reason) == (MailState.QUARANTINED, "auth_unavailable")
    assert table.written_letters() == [("coordinator_notice", COORDINATOR)]
    assert row.sender is None


def test_a_stranger_cannot_hold_a_deadline_up(table: Table) -> None:
    dns_of(table, away=True)
    raw = sheet(table, sender=f"mallory@{DOMAIN}")
    row = table.take(raw, table.phase().opens_at + MINUTE)

    assert (row.state, row.reason) == (MailState.QUARANTINED, "auth_failed")


def test_a_fault_of_the_machine_asks_dns_no_second_time(table: Table) -> None:
    """The pictures could not be opened, and by the time they are filed unopened DNS is away."""
    dns = dns_of(table, away=False)
    stored = table.arrive(sheet(table), table.phase().opens_at + MINUTE)
    bodies, table.bodies = table.bodies, _Failing()
    with pytest.raises(ChildFault):
        table.process(stored)
    table.bodies, dns.away = bodies, True

    table.give_up(stored, "ChildFault: no memory")

    assert table.mail_row(stored).state == MailState.USED
    assert dns.asked == 1


class _Failing:
    def read(self, raw: bytes, need: BodyNeed) -> MailBody:
        raise ChildFault("no memory")


def test_a_mail_of_which_only_the_headers_came_is_told_to_the_coordinator(table: Table) -> None:
    raw = sheet(table)
    stored = table.site.blobs.put(raw[: raw.index(b"\r\n\r\n") + 4])
    with table.site.store.begin() as session:
        now = table.site.clock.now()
        session.add(MailRow(sha256=stored, size=40_000_000, received_at=table.phase().opens_at + MINUTE,
                            stored_at=now, state=MailState.STORED, reason=ingest.TOO_LARGE, tries=0))
    table.process(stored)
    row = table.mail_row(stored)

    assert row.state == MailState.QUARANTINED
    assert row.proof is not None
    assert "too large to fetch" in row.proof["reason"]


