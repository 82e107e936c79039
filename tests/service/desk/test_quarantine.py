"""The Quarantine pages of the core: the list, what is known of a mail, its bytes; a mail set aside and taken
back."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from adjudicator.calendar import Phase, PhaseKind
from service.desk.queries import phase_view
from service.games.approval.papers import unsettled_papers
from service.games.mail_phases import NAMED_AHEAD
from service.games.seal import sealed
from service.intake.quarantine import sealed_by
from service.store.tables import GameRow, MailRow, MailState, PhaseState
from tests.support.desk_table import DeskTable, open_desk
from tests.support.mail_builder import mail, part, picture, stamp, text
from tests.support.site import Site
from tests.support.table import SERVER, address, open_table

DAY = timedelta(days=1)
STRANGER = "mallory@else.example"


@pytest.fixture
def desk(site: Site) -> DeskTable:
    return open_desk(open_table(site))


def stranger(desk: DeskTable, *parts: bytes) -> MailRow:
    """A mail from an address that no one registered, with a picture unless other parts are given."""
    raw = mail(desk.table.subject("Montrose"), STRANGER, parts=list(parts) or [text(), part(picture())],
               stamps=[stamp("else.example", server=SERVER)])
    return desk.table.take(raw, desk.table.phase().opens_at + DAY)


def state(desk: DeskTable, row: MailRow) -> tuple[str, str | None]:
    mail = desk.table.mail_row(row.sha256)
    return mail.state, mail.reason


def test_a_mail_is_shown_with_what_is_known_of_it_and_its_bytes_once_no_sheet_is_sealed(
    desk: DeskTable
) -> None:
    """DESK-02, Q-14."""
    row = stranger(desk)
    page, raw = f"/quarantine/{row.sha256}", f"/quarantine/{row.sha256}.eml"
    assert f"{STRANGER}; not registered" in desk.text(page)
    assert "address is not registered" in desk.text(page)
    assert "Sealed until" in desk.text(page)
    assert desk.client.get(raw).status_code == 403
    desk.table.set_phase(state=PhaseState.CLOSED)
    assert "Sealed until" not in desk.text(page)
    assert desk.client.get(raw).content == desk.table.site.blobs.read(row.sha256)
    assert desk.post(f"{page}/discard", why="Nobody here knows this sender.").status_code == 303
    assert desk.client.get(page).status_code == 404


def phases(desk: DeskTable, *states: PhaseState) -> None:
    """Put the first phases into these states."""
    for number, state in enumerate(states, 1):
        desk.table.set_phase(number, state=state)


def stray(subject: str, shade: int) -> bytes:
    """A mail from no one's address with its own picture."""
    return mail(subject, STRANGER, parts=[text(), part(picture(shade))],
                stamps=[stamp("else.example", server=SERVER)])


def test_a_mail_for_a_closed_phase_is_visible_while_the_next_one_takes_orders(desk: DeskTable) -> None:
    """PHA-03: a retreat mail in time was sealed until Autumn's deadline, and kept results back as long."""
    phases(desk, PhaseState.SENT, PhaseState.OPEN)
    retreats, autumn = desk.table.phase(2), desk.table.phase(3)
    raw = stray("Orders", 60)
    row = desk.table.take(raw, retreats.deadline - timedelta(hours=1))
    page, file = f"/quarantine/{row.sha256}", f"/quarantine/{row.sha256}.eml"
    assert desk.client.get(file).status_code == 403
    phases(desk, PhaseState.SENT, PhaseState.CLOSED, PhaseState.OPEN)
    assert "Sealed until" not in desk.text(page)
    assert desk.client.get(file).content == raw
    # What came after the deadline of the retreats may hold orders of Autumn, before it opens too.
    later = desk.table.take(stray("Orders", 90), retreats.deadline + timedelta(seconds=1))
    for state in (PhaseState.WAITING, PhaseState.OPEN):
        desk.table.set_phase(3, state=state)
        assert f"Sealed until {autumn.deadline:%a}" in desk.text(f"/quarantine/{later.sha256}")
        assert desk.client.get(f"/quarantine/{later.sha256}.eml").status_code == 403


def test_an_early_sheet_in_quarantine_waits_for_the_phase_that_it_names(desk: DeskTable) -> None:
    """PHA-03: it may hold orders of Autumn, so it stays sealed; and it does not keep the retreats back."""
    phases(desk, PhaseState.SENT, PhaseState.OPEN)
    retreats, autumn = desk.table.phase(2), desk.table.phase(3)
    named = Phase(autumn.year, autumn.season, PhaseKind.MOVEMENT)
    early = stray(desk.table.subject("Montrose", phase=named), 60)
    row = desk.table.take(early, retreats.deadline - timedelta(hours=1))
    phases(desk, PhaseState.SENT, PhaseState.CLOSED, PhaseState.OPEN)
    assert desk.client.get(f"/quarantine/{row.sha256}.eml").status_code == 403
    with desk.table.site.store() as session:
        assert unsettled_papers(session, retreats, desk.table.variant) == []
        papers = unsettled_papers(session, autumn, desk.table.variant)
        assert [paper.mail for paper in papers] == [row.sha256]
        game = session.get_one(GameRow, desk.table.game)
        # What Today lists under a phase goes by the same rule.
        assert [phase_view(session, phase, game).sheets.quarantined for phase in (retreats, autumn)] == [
            (), ("Montrose",)]


@given(
    closed=st.integers(0, 4),
    hours=st.integers(-400, 400),
    names=st.sampled_from([None, 1, 2, 3, 4, 5]),
    power=st.sampled_from(["Montrose", "Argyll", None]),
)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_keeps_results_back_can_be_looked_at_and_no_mail_for_a_sealed_phase(
    desk: DeskTable, closed: int, hours: int, names: int | None, power: str | None
) -> None:
    """PHA-03: wherever the game stands, whenever a mail came, whatever it names."""
    phases(desk, *[PhaseState.SENT] * max(closed - 1, 0), *[PhaseState.CLOSED] * min(closed, 1),
           PhaseState.OPEN, *[PhaseState.WAITING] * (4 - closed))
    rows = [desk.table.phase(number) for number in range(1, 6)]
    verdict: dict[str, object] = {} if power is None else {"game": "Powick Bridge", "power": power}
    if names is not None and power is not None:
        verdict |= {"season": rows[names - 1].season, "year": rows[names - 1].year,
                    "kind": rows[names - 1].kind}
    came_at = rows[1].deadline + timedelta(hours=hours)
    with desk.table.site.store() as session:
        row = MailRow(sha256="e" * 64, size=1, received_at=came_at, stored_at=came_at,
                      state=MailState.QUARANTINED, reason="unknown_sender", verdict=verdict)
        session.add(row)
        session.flush()
        blocking = [paper for phase in rows if phase.state == PhaseState.CLOSED
                    for paper in unsettled_papers(session, phase, desk.table.variant)]
        seal = sealed_by(session, row)
        assert not (blocking and seal is not None)
        in_time = [phase for phase in rows if came_at <= phase.deadline]
        if seal is None and in_time:
            # Nothing that a reader sees came first of all, or by its name, for a phase that takes orders yet.
            assert in_time[0].state in {PhaseState.SENT, PhaseState.CLOSED} or verdict.get("season")
            assert not any(
                sealed(phase) and [phase.season, phase.year, phase.kind] == [
                    verdict.get(part) for part in ("season", "year", "kind")]
                for phase in in_time[:NAMED_AHEAD])
        session.rollback()


def test_a_discarded_mail_keeps_its_bytes_and_can_be_taken_back(desk: DeskTable) -> None:
    row = stranger(desk)
    raw = desk.table.site.blobs.read(row.sha256)
    assert desk.post(f"/quarantine/{row.sha256}/discard", why="short").status_code == 409
    assert state(desk, row)[0] == MailState.QUARANTINED
    assert (
        desk.post(f"/quarantine/{row.sha256}/discard", why="An advertisement with a picture.").status_code
        == 303
    )
    assert state(desk, row) == (MailState.IGNORED, "discarded")
    assert desk.table.site.blobs.read(row.sha256) == raw
    assert "Discarded: 1 mail" in desk.text("/?show=mails")
    assert desk.post(f"/quarantine/{row.sha256}/take-back").status_code == 303
    assert state(desk, row) == (MailState.QUARANTINED, "unknown_sender")
    assert desk.post(f"/quarantine/{row.sha256}/take-back").status_code == 409


def test_an_ignored_mail_of_a_player_is_listed_and_taken_back_from_the_page(desk: DeskTable) -> None:
    """BOX-01: with sender and subject, in the inbox; nothing of what it states is shown."""
    sender = address("Montrose")
    raw = mail(desk.table.subject("Montrose"), sender, headers=["Auto-Submitted: auto-replied"],
               parts=[text("A pact until Winter."), part(picture())],
               stamps=[stamp(sender.rpartition("@")[2], server=SERVER)])
    first = desk.table.take(raw, desk.table.phase().opens_at + DAY)
    second = desk.table.take(b"X-Copy: 1\r\n" + raw, desk.table.phase().opens_at + DAY)
    assert "Mails ignored 2" in desk.text("/")
    page = desk.text("/?show=ignored")
    assert f"{desk.table.subject('Montrose')} Player Montrose, {sender}" in page
    assert "Its headers mark it as sent by a program" in page
    assert "pact" not in page
    assert desk.client.post(f"/quarantine/{first.sha256}/queue").status_code == 403
    assert desk.post(f"/quarantine/{first.sha256}/queue").status_code == 303
    assert desk.post(f"/quarantine/{second.sha256}/leave").status_code == 303
    assert desk.post(f"/quarantine/{second.sha256}/queue").status_code == 409
    desk.table.process(first.sha256)
    assert state(desk, first) == (MailState.USED, None)
    page = desk.text("/?show=ignored")
    assert "taken back by Ada" in page
    assert "left by Ada" in page
    assert "Mails ignored 1" not in desk.text("/")
