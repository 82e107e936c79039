"""LET-01: results cannot be approved while a sheet of their phase is set aside; letters show what came.

The fault: results told all ten players "No sheet was received" about seven powers whose sheets were on file,
set aside for a doubt about the year.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy.orm import Session

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.outcome import Resolution
from service.clock import SimulatedClock
from service.games.approval import papers
from service.games.turns import NotReady
from service.notices.results import ResultsAnnouncer
from service.store import records
from service.store.tables import MailRow, MailState, PhaseRow, PhaseState, PostalOriginalRow, SubmissionRow
from tests.support.desk_table import CSRF, DeskTable, open_desk
from tests.support.mail_builder import mail, part, picture, stamp, text
from tests.support.site import Site
from tests.support.table import SERVER, Table, address, open_table

DAY = timedelta(days=1)
REASON = "written for the year before, as its player says"


@pytest.fixture
def desk(site: Site) -> DeskTable:
    table = open_table(site)
    table.announce = ResultsAnnouncer(table.writer, drawing=False)
    # Its own clock, so that no one is signed out by the thirteen days of a phase.
    return open_desk(table, wall=SimulatedClock(site.clock.now()))


def held(table: Table, power: str, flag: str = "heading_disagrees", version: int = 1) -> int:
    key = table.file(power, [f"A {home(table, power)} H"], version=version)
    with table.site.store.begin() as session:
        row = session.get_one(SubmissionRow, key)
        row.fate, row.flags = "held", [flag]
    return key


def home(table: Table, power: str) -> str:
    return next(unit.region.province for unit in table.variant.start.units
                if unit.power == power and unit.kind == "A")


def close(desk: DeskTable) -> int:
    phase = desk.table.phase()
    desk.table.site.clock.set(phase.deadline)
    desk.table.close_phase(phase.id)
    return phase.id


def approve(desk: DeskTable, phase: int) -> tuple[int, str]:
    answer = desk.post(f"/results/{phase}/approve")
    return answer.status_code, answer.text


def result_words(desk: DeskTable) -> str:
    return desk.table.words(desk.table.letters("final_results")[0])


def test_a_sheet_set_aside_is_settled_before_results_leave(desk: DeskTable) -> None:
    """LET-01: listed with what to do; refused with a reason, which every player reads."""
    sheet = held(desk.table, "Montrose")
    phase = close(desk)
    page = desk.page(f"/results/{phase}")
    assert "1 sheet to settle first" in page
    assert f'href="/sheet/{sheet}#versions-head"' in page
    assert "Approve and send" not in page
    assert "A sheet of Montrose is set aside" in desk.text("/")
    assert "Montrose: something came, and nothing counts" in desk.text("/").replace(" :", ":")
    assert "Without a sheet: Montrose" not in desk.text("/")
    assert "The Crown Nothing received" in desk.text(f"/results/{phase}")
    assert "Montrose Nothing received" not in desk.text(f"/results/{phase}")
    status, text = approve(desk, phase)
    assert status == 409
    assert "a sheet set aside of Montrose" in text
    assert desk.table.letters() == []
    assert desk.post(f"/sheet/{sheet}/refuse", why="no").status_code == 400
    assert desk.post(f"/sheet/{sheet}/refuse", why=REASON).status_code == 303
    assert "Approve and send" in desk.page(f"/results/{phase}")
    assert approve(desk, phase)[0] == 303
    words = result_words(desk)
    assert f"A sheet was received and set aside: {REASON}." in words
    assert "MONTROSE - No sheet was received" not in words
    # Of a power from whom nothing came it is still said.
    assert "No sheet was received." in words


def test_a_refusal_can_be_taken_back_and_a_sheet_used_instead(desk: DeskTable) -> None:
    sheet = held(desk.table, "Montrose")
    phase = close(desk)
    desk.post(f"/sheet/{sheet}/refuse", why=REASON)
    assert desk.post(f"/sheet/{sheet}/unrefuse").status_code == 303
    assert approve(desk, phase)[0] == 409
    assert desk.post(f"/sheet/{sheet}/choose", why="its player wrote that it is right").status_code == 303
    assert desk.post(f"/sheet/{sheet}/right").status_code in {303, 400}
    assert approve(desk, phase)[0] == 303
    assert f"Army {home(desk.table, 'Montrose')} holds" in result_words(desk)


def test_a_dark_photograph_that_was_taken_again_needs_nobody(desk: DeskTable) -> None:
    held(desk.table, "Montrose", "too_dark")
    units = [unit for unit in desk.table.variant.start.units if unit.power == "Montrose"]
    desk.table.file("Montrose", [f"{unit.kind} {unit.region.province} H" for unit in units], version=2)
    phase = close(desk)
    assert "to settle first" not in desk.page(f"/results/{phase}")
    assert approve(desk, phase)[0] == 303


def test_a_mail_in_quarantine_of_a_known_power_is_settled_first(desk: DeskTable) -> None:
    table = desk.table
    row = table.take(table.mail("Montrose", subject=table.subject("Argyll")), table.phase().opens_at + DAY)
    assert row.state == MailState.QUARANTINED
    phase = close(desk)
    assert f'href="/quarantine/{row.sha256}"' in desk.page(f"/results/{phase}")
    assert "Held: a mail of Argyll" in desk.text("/")
    assert approve(desk, phase)[0] == 409
    desk.post(f"/quarantine/{row.sha256}/discard", why="the wrong power, and its player sends a new one")
    assert approve(desk, phase)[0] == 303
    assert "A mail was received and set aside: its sender does not command this power." in result_words(desk)


def test_a_mail_that_was_refused_or_came_late_is_told(desk: DeskTable) -> None:
    table = desk.table
    without = mail(table.subject("Montrose"), address("Montrose"), parts=[text("My orders follow.")],
                   stamps=[stamp("montrose.example", server=SERVER)])
    refused = table.take(without, table.phase().opens_at + DAY)
    phase = close(desk)
    late = table.take(table.mail("Argyll"), table.phase().deadline + timedelta(minutes=1))
    assert (refused.reason, late.reason) == ("no_photo", "late")
    assert approve(desk, phase)[0] == 303
    words = result_words(desk)
    assert "A sheet was received after the deadline and does not count." in words
    assert "A mail was received and set aside: it has no picture of a sheet." in words


def test_what_comes_while_letters_are_drawn_stops_them(desk: DeskTable) -> None:
    """LET-01 in the last transaction: the letters would state that nothing was received."""
    table = desk.table

    class Slow(ResultsAnnouncer):
        def prepare(
            self, session: Session, phase: PhaseRow, resolution: Resolution
        ) -> Callable[[Session], None]:
            put = super().prepare(session, phase, resolution)
            held(table, "Montrose")
            return put

    table.announce = Slow(table.writer, drawing=False)
    phase = close(desk)
    with pytest.raises(NotReady, match="Montrose"):
        table.approve_phase(phase, "ada")
    assert table.phase().state == PhaseState.READY
    assert table.letters() == []


@pytest.mark.parametrize(("is_read", "reason"), [(False, "still to be read"), (True, "the orders changed")])
def test_a_sheet_that_comes_while_letters_are_drawn_stops_them(
    desk: DeskTable, is_read: bool, reason: str
) -> None:
    """LET-01: stamped in time and handed over late; the letters said "No sheet was received" of its power."""
    table = desk.table

    class Late(ResultsAnnouncer):
        def prepare(
            self, session: Session, phase: PhaseRow, resolution: Resolution
        ) -> Callable[[Session], None]:
            put = super().prepare(session, phase, resolution)
            table.file("Montrose", [f"A {home(table, 'Montrose')} H"], read=is_read)
            return put

    table.announce = Late(table.writer, drawing=False)
    phase = close(desk)
    with pytest.raises(NotReady, match=reason):
        table.approve_phase(phase, "ada")
    assert (table.phase().state, table.letters()) == (PhaseState.READY, [])


def test_a_mail_of_a_phase_that_is_sent_keeps_nothing(desk: DeskTable) -> None:
    """LET-01: the front page named papers of the next phase as to be settled; its results had none."""
    table = desk.table
    assert approve(desk, close(desk))[0] == 303
    table.site.clock.set(table.phase(3).opens_at)
    table.open_phase(table.phase(3).id)
    stray = table.take(table.mail("Montrose", subject=table.subject("Argyll")), table.phase().opens_at + DAY)
    assert stray.state == MailState.QUARANTINED
    assert "Held: a mail of Argyll" not in desk.text("/")
    table.take(table.mail("Montrose", 80, subject=table.subject("Argyll")), table.phase(3).opens_at + DAY)
    assert "Held: a mail of Argyll" in desk.text("/")


def test_a_letter_by_post_without_a_scan_is_settled_first(desk: DeskTable) -> None:
    """LET-01: it was noted as received, and the results stated that no sheet was."""
    table, day = desk.table, desk.table.phase().deadline.date()
    posted = {"power": "Montrose", "phase_id": table.phase().id, "received": day - DAY, "made_by": "ada",
              "made_at": table.site.clock.now()}
    with table.site.store.begin() as session:
        session.add(PostalOriginalRow(**posted))
        session.add(PostalOriginalRow(**posted | {"power": "Argyll", "received": day + DAY}))
    phase = close(desk)
    page = desk.text(f"/results/{phase}")
    assert "1 sheet to settle first" in page
    assert "no scan of it is on file." in page
    status, text = approve(desk, phase)
    assert (status, "a letter by post without a scan of Montrose" in text) == (409, True)
    # The sheet that its player mailed besides is what counts.
    table.file("Montrose", [f"A {home(table, 'Montrose')} H"])
    assert "to settle first" not in desk.text(f"/results/{phase}")


def test_a_mail_that_names_a_later_phase_belongs_to_that_phase(desk: DeskTable) -> None:
    """LET-01: Autumn's orders, mailed while Summer is open, cannot be opened; Autumn's results stated that
    nothing came and Summer's told of them, and a late sheet of Summer was told of in Autumn's."""
    table, autumn = desk.table, Phase(1642, "Autumn", PhaseKind.MOVEMENT)
    cut = mail(
        table.subject("Montrose", 1, autumn), address("Montrose"), parts=[text(), part(picture()[:200])],
        stamps=[stamp("montrose.example", server=SERVER)])
    early = table.take(cut, table.phase().opens_at + DAY)
    late = table.take(table.mail("Argyll", 80), table.phase().deadline + timedelta(minutes=1))
    assert (early.state, early.reason, late.reason) == (MailState.REFUSED, "bad_image", "late")
    number = next(row.ordinal for row in table.phases() if (row.season, row.kind) == ("Autumn", "movement"))
    with table.site.store() as session:
        rows = records.phases(session, table.game)
        summers = papers.set_aside(session, rows[0], table.variant)
        autumns = papers.set_aside(session, rows[number - 1], table.variant)
    assert set(summers) == {"Argyll"}
    assert autumns == {"Montrose": ("A mail was received and set aside: its picture cannot be opened.",)}


def test_nobody_is_missed_in_a_phase_that_has_not_begun(desk: DeskTable) -> None:
    """The retreats after a movement were open before its results were sent; ten powers was there as without
    a sheet though no one retreats."""
    for power in desk.table.variant.powers:
        desk.table.file(power, ())
    close(desk)
    desk.table.open_phase(desk.table.phase(2).id)
    today = desk.text("/")
    assert "Summer 1642 Movement" in today
    assert "Without a sheet" not in today
    assert "Summer 1642 Retreat" not in today


def test_twenty_forged_mails_are_discarded_on_one_page(desk: DeskTable) -> None:
    """Twenty forged mails of a known power held an approval; each had its own page."""
    for power in desk.table.variant.powers:
        desk.table.file(power, ())
    keys, now = [f"{number:064x}" for number in range(1, 21)], desk.table.site.clock.now()
    with desk.table.site.store.begin() as session:
        for key in keys:
            records.add_mail(session, key, 10, now, now)
            row = session.get_one(MailRow, key)
            row.state, row.reason = MailState.QUARANTINED, "auth_failed"
            row.verdict = {"game": "Powick Bridge", "power": "Argyll", "subject": "Orders",
                           "season": "Summer", "year": 1642, "kind": "movement"}
    phase = close(desk)
    page = desk.page(f"/results/{phase}")
    assert "20 sheets to settle first" in page
    assert "Discard several mails at once" in page
    form = {"mail": keys, "why": "forged: none of them is proved", "csrf": CSRF}
    assert desk.client.post("/quarantine/discard", data={**form, "why": "no"}).status_code == 409
    assert desk.client.post("/quarantine/discard", data={**form, "mail": []}).status_code == 400
    assert desk.client.post("/quarantine/discard", data={**form, "csrf": "x"}).status_code == 403
    assert desk.client.post("/quarantine/discard", data=form).status_code == 303
    assert "papers to settle" not in desk.page(f"/results/{phase}")
    assert desk.page("/?show=mails").count("take-back") == 20
