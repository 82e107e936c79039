"""Reports of other servers settle the state of their letter, and never more (BOX-06)."""

from __future__ import annotations

import pytest

from service.mail.reports import DeliveryReport, Outcome, ReportKind
from service.mail.sending.hold import retry
from service.mail.sending.returned import note_report
from service.store.tables import OutboxState
from tests.support.letters import rows, send, to, write
from tests.support.servers.smtp_sink import SmtpSink
from tests.support.site import Site


def note(site: Site, outcome: str, *identifiers: str, code: str | None = None) -> int | None:
    report = DeliveryReport(ReportKind.BOUNCE, identifiers, Outcome(outcome), code)
    with site.store.begin() as session:
        return note_report(session, report)


def states(site: Site) -> list[str]:
    return [row.state for row in rows(site)]


def test_a_report_changes_the_state_of_its_letter_alone(site: Site, smtp_sink: SmtpSink) -> None:
    write(site, to("montrose"), to("argyll"))
    send(site, smtp_sink.port)
    first = rows(site)[0]
    # Nothing proves who wrote a report. A forged one may cost one letter its state.
    assert note(site, "failed", "<stranger@example.org>") is None
    assert note(site, "failed", "<stranger@example.org>", first.message_id, code="5.2.2") == first.id
    assert states(site) == [OutboxState.FAILED, OutboxState.SENT]
    assert rows(site)[0].error == "it came back as undeliverable: the mailbox is full (5.2.2)"
    # Its reader still gets every letter after it.
    write(site, to("montrose-2"))
    assert send(site, smtp_sink.port).sent == 1


@pytest.mark.parametrize(
    ("outcomes", "state"),
    [
        (["delayed"], "delayed"),
        (["delayed", "delayed"], "delayed"),
        (["delayed", "delivered"], "sent"),
        (["delayed", "failed"], "failed"),
        # A warning that overtakes nothing: the letter is lost, whatever an older report states.
        (["failed", "delayed"], "failed"),
        (["failed", "delivered"], "failed"),
        (["delivered"], "sent"),
    ],
)
def test_a_delay_is_settled_by_what_comes_later(
    site: Site, smtp_sink: SmtpSink, outcomes: list[str], state: str
) -> None:
    write(site, to("montrose"))
    send(site, smtp_sink.port)
    lost = [note(site, outcome, rows(site)[0].message_id, code="4.4.1") for outcome in outcomes]
    assert states(site) == [state]
    assert [letter is not None for letter in lost] == [outcome == "failed" for outcome in outcomes]
    assert (rows(site)[0].error is None) == (state == "sent")


def test_a_letter_that_waits_to_be_sent_again_is_not_stopped(site: Site, smtp_sink: SmtpSink) -> None:
    write(site, to("montrose"))
    send(site, smtp_sink.port)
    row = rows(site)[0]
    assert note(site, "failed", row.message_id) == row.id
    with site.store.begin() as session:
        assert retry(session, row.id, site.clock.now())
    # The report on the first copy comes twice.
    assert note(site, "failed", row.message_id) is None
    assert states(site) == [OutboxState.QUEUED]
    assert send(site, smtp_sink.port).sent == 1
    assert note(site, "failed", row.message_id) == row.id
