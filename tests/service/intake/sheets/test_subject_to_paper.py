"""A mail and its subject, from the mailbox to the sheet and its receipt: the handbook's example, a missing
year, and a missing game where two would fit."""

from __future__ import annotations

from datetime import date

import pytest

from adjudicator.calendar import Phase, PhaseKind
from service.games import create
from service.games.acts.games import BeginGame
from service.store import records
from service.store.tables import MailState, PhaseState
from tests.service.intake.sheets.test_read_submission import HEADING, ORDERS, Desk, page, recognized
from tests.support.acting import do
from tests.support.mail_builder import picture
from tests.support.site import Site
from tests.support.table import COORDINATOR, START, Table, address, open_table

MONTROSE = address("Montrose")
AUTUMN = Phase(1644, "Autumn", PhaseKind.RETREAT)


@pytest.fixture
def retreats(site: Site) -> Table:
    """A game whose retreats of Autumn 1644 are open, as in the handbook's example."""
    table = open_table(site)
    table.set_phase(1, year=AUTUMN.year, season=AUTUMN.season, kind=AUTUMN.kind.value)
    return table


@pytest.mark.parametrize("subject", [
    "Powick Bridge - Montrose - Autumn, 1644 - Retreat Orders - v1",
    "Powick Bridge, Montrose, Autumn 1644 Retreats, v1",
    "Powick Bridge, Montrose, Fall 1644 Retreats, v1",
    "FWD: powick bridge; montrose; FALL 1644; retreat; version 1",
])  # fmt: skip
def test_either_pattern_is_taken_and_the_receipt_answers_in_the_one_with_dashes(
    retreats: Table, subject: str
) -> None:
    """SUBJ-02, Q-02, Q-05: Fall is accepted; the answer states Autumn and the number of the next version."""
    row = retreats.take(retreats.mail("Montrose", subject=subject), retreats.phase().opens_at)
    assert row.state == MailState.USED
    (submission,) = retreats.submissions()
    assert (submission.power, submission.version, submission.phase_id) == ("Montrose", 1, retreats.phase().id)
    (letter,) = retreats.letters("receipt")
    words = retreats.words(letter)
    assert "Powick Bridge - Montrose - Autumn 1644 - Retreat Orders - v2" in words
    assert "Your Autumn 1644 Retreat Orders for Montrose have arrived, version 1." in words
    assert "The coordinator of Powick Bridge" in words
    assert str(retreats.message(letter)["Subject"]) == (
        "Powick Bridge - Montrose - Autumn 1644 - Retreat Orders - v1 received")
    assert "Fall" not in words
    assert "Fall" not in str(retreats.message(letter)["Subject"])


# A missing year


WITHOUT_YEAR = "Powick Bridge - Montrose - Summer - Movement Orders - v1"


@pytest.fixture
def desk(site: Site) -> Desk:
    return Desk(open_table(site))


@pytest.mark.parametrize(("year_line", "fate"), [
    ("Summer 1642 Movement Orders", "counts"),
    ("Summer Movement Orders", "counts"),
    ("Summer 1643 Movement Orders", "held"),
])
def test_a_missing_year_is_the_sheets_and_only_then_the_open_phases(
    desk: Desk, year_line: str, fate: str
) -> None:
    """SUBJ-06: a year on the sheet decides."""
    # A sheet of another year is held, and not taken for the phase that happens to be open.
    desk.table.take(desk.table.mail("Montrose", subject=WITHOUT_YEAR), desk.table.phase().opens_at)
    (submission,) = desk.table.submissions()
    row = desk.read(submission.id, {picture(90): (recognized(page([*HEADING[:3], year_line, *ORDERS])),)})
    assert (row.fate, row.phase_id) == (fate, desk.table.phase().id)
    assert "year_missing" in row.flags
    assert desk.counting() == ({"Montrose": submission.id} if fate == "counts" else {})


def test_a_missing_year_is_not_made_up_for_a_season_that_is_not_next(desk: Desk) -> None:
    """SUBJ-06: neither the open phase fits nor the next announced movement, which is Autumn's."""
    subject = WITHOUT_YEAR.replace("Summer", "Spring")
    row = desk.table.take(desk.table.mail("Montrose", subject=subject), desk.table.phase().opens_at)
    assert (row.state, row.reason) == (MailState.REFUSED, "wrong_phase")
    assert desk.table.submissions() == []


# A missing game


@pytest.fixture
def two_games(site: Site) -> Table:
    """Two games in the same phase, each power played by the same person in both."""
    table = open_table(site)
    begin(table, "Roundway Down", START)
    return table


def begin(table: Table, name: str, start: date) -> None:
    seats = [
        create.GameSeat(power, f"Player {power}", "Europe/London", (address(power),))
        for power in table.variant.powers
    ]
    do(table, BeginGame(create.NewGame(name, "w3k", start, seats), table.variant))


WITHOUT_GAME = "Montrose - Summer 1642 - Movement Orders - v1"


def test_a_player_of_two_games_who_names_none_is_not_guessed_at(two_games: Table) -> None:
    """SUBJ-07, Q-06: quarantined, no sheet in either game; the sender learns that the game was missing."""
    row = two_games.take(two_games.mail("Montrose", subject=WITHOUT_GAME), two_games.phase().opens_at)
    assert (row.state, row.reason) == (MailState.QUARANTINED, "subject_unparsed")
    assert two_games.submissions() == []
    assert set(two_games.written_letters()) == {("rejection", MONTROSE), ("coordinator_notice", COORDINATOR)}
    assert len(two_games.written_letters()) == 2
    words = two_games.words(two_games.letters("rejection")[0])
    assert "The subject does not name the game." in words
    assert "as below" not in words, "there is no single subject below that could be copied"
    assert (f"Send it again with one of these subjects: Powick Bridge - {WITHOUT_GAME}; or Roundway Down - "
            f"{WITHOUT_GAME}") in words
    assert f"Its subject: {WITHOUT_GAME}" in words


@pytest.mark.parametrize("name", ["Powick Bridge", "Roundway Down"])
def test_named_the_game_is_the_one_that_was_named(two_games: Table, name: str) -> None:
    """SUBJ-07, NON-05."""
    raw = two_games.mail("Montrose", subject=f"{name} - {WITHOUT_GAME}")
    row = two_games.take(raw, two_games.phase().opens_at)
    assert row.state == MailState.USED
    (submission,) = two_games.submissions()
    with two_games.site.store() as session:
        phases = records.phases(session, name.lower().replace(" ", "-"))
    assert submission.phase_id == phases[0].id


def test_with_one_game_that_can_be_meant_none_need_be_named(site: Site) -> None:
    """Q-06: the other game's Summer is over, so only one game fits."""
    table = open_table(site)
    begin(table, "Roundway Down", START)
    with site.store.begin() as session:
        summer, retreat, autumn = records.phases(session, "roundway-down")[:3]
        summer.state = retreat.state = PhaseState.SENT
        autumn.state = PhaseState.OPEN
    taken = table.take(table.mail("Montrose", subject=WITHOUT_GAME), table.phase().opens_at)
    assert taken.state == MailState.USED
    (submission,) = table.submissions()
    assert submission.phase_id == table.phase().id
