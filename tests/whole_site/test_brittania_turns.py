"""Brittania through the service: a subject line, the first paper that counts, two judged turns, and what
players are informed (WSB-01, WSB-02, WSB-20, Q-60)."""

from __future__ import annotations

from datetime import timedelta
from itertools import count as count_up

import pytest

from adjudicator.calendar import Phase, PhaseKind
from reading.completions import words_of
from service import site_key
from service.games import lots, sealed_lots
from service.games.ballots import RankedSubmission, count
from service.games.phases import phase_title
from service.notices.current_map import control
from service.notices.results import ResultsAnnouncer
from service.store.digests import digest
from service.store.tables import PhaseRow, PhaseState
from tests.support.site import Site
from tests.support.table import Table, open_table

FIRST = Phase(601, "Harvest", PhaseKind.TURN)
SECOND = Phase(602, "Harvest", PhaseKind.TURN)


@pytest.fixture
def table(site: Site) -> Table:
    opened = open_table(site, slug="brittania")
    opened.announce = ResultsAnnouncer(opened.writer, drawing=False)
    return opened


def _finish(table: Table, number: int) -> None:
    phase = table.phase(number)
    table.site.clock.set(phase.deadline + timedelta(minutes=1))
    table.close_phase(phase.id)
    table.approve_phase(table.phase(number).id, "ada")


def _throw(table: Table, number: int, dice: tuple[int, int]) -> None:
    """Give a phase a seed by which its first two dice fall so, with the sheets that it has: a number of
    the tape leaves a die less one, divided by ten."""
    with table.site.store.begin() as session:
        phase = session.get_one(PhaseRow, table.phase(number).id)
        sheets = sealed_lots.sheets_on_record(session, phase)
        for nonce in map("{:064x}".format, count_up()):
            phase.sealed = nonce
            seed = site_key.of_session(session).derive(
                "seed of lots", phase.game_id, str(phase.ordinal), nonce).hex()
            lines = sealed_lots.lines(phase.game_id, phase.ordinal, seed, None, (), sheets)
            if tuple(value % 10 + 1 for value in lots.tape(lines, 2)) == dice:
                phase.commitment = digest(seed)
                return


def _results(table: Table, number: int) -> str:
    row = next(
        letter
        for letter in reversed(table.letters("final_results"))
        if letter.phase_id == table.phase(number).id
    )
    return table.words(row)


def test_the_first_paper_counts_and_a_later_one_is_answered_as_such(table: Table) -> None:
    """Q-60, WSB-02."""
    noon = table.phase().opens_at + timedelta(hours=5)
    table.take(table.mail("Red", 90, subject=table.subject("Red", 1, FIRST)), noon)
    table.take(table.mail("Red", 120, subject=table.subject("Red", 2, FIRST)), noon + timedelta(hours=1))
    first, second = (table.words(row) for row in table.letters("receipt"))
    assert "In this game the first sheet of a phase counts: nothing you send later replaces it." in first
    assert "new version" not in first
    assert ("one of yours was received before. This one is stored, and counts only if the first cannot be "
            "read.") in second
    assert "replaces version" not in second


def test_the_ballot_box_takes_the_first(table: Table) -> None:
    """Q-60: a higher number does not help."""
    opens, deadline = table.phase().opens_at, table.phase().deadline
    submissions = [
        RankedSubmission(1, "Red", opens + timedelta(hours=1), version=1),
        RankedSubmission(2, "Red", opens + timedelta(hours=2), version=5),
        # A first sheet that is held, as an unreadable one is, does not be in the way.
        RankedSubmission(3, "Gold", opens + timedelta(hours=1), version=1, held=True),
        RankedSubmission(4, "Gold", opens + timedelta(hours=2)),
    ]
    ballots = count(submissions, deadline, first=True)
    assert (ballots["Red"].submission.id, ballots["Gold"].submission.id) == (1, 4)
    assert ballots["Red"].losers[0].why == ("the first sheet counts in this game, and this one was received "
                                            "later")
    chosen = count(
        [submissions[0], RankedSubmission(2, "Red", opens + timedelta(hours=2), chosen=True)], deadline,
        first=True
    )
    assert chosen["Red"].submission.id == 2


def test_two_turns_are_judged_and_told(table: Table) -> None:
    opens = table.phase().opens_at
    table.file("Red", ["Capital Essex"], received_at=opens + timedelta(hours=1))
    table.file("Red", ["Capital York"], received_at=opens + timedelta(hours=2), version=2)
    table.file("Gold", ["Capital Kent"])
    _finish(table, 1)
    assert table.outcomes() == {("Red", "Capital Essex"): "succeeds", ("Gold", "Capital Kent"): "succeeds"}
    words = _results(table, 1)
    assert "Red has 10 grain to spend; its states yield Essex 10" in words
    assert "Essex is the capital of Red" in words

    table.site.clock.set(table.phase(2).opens_at)
    table.open_phase(table.phase(2).id)
    assert table.phase(2).state == PhaseState.OPEN
    table.file("Red", ["10 Grain for Conquest of Kent with the King"], number=2)
    table.file("Gold", ["5 Grain for Defense of Kent", "5 Grain for Alliance with Red"], number=2)
    _throw(table, 2, (6, 4))
    _finish(table, 2)
    words = _results(table, 2)
    # The king of Gold is in Kent: 5 + 2 defend it.
    assert "Kent is taken: 6 + 10 + 2 = 18 against 4 + 7 = 11" in words
    assert "Kent is attacked by Red. 6 + 10 + 2 = 18 against 4 + 7 = 11." in words
    assert "✗ 5 Grain for Alliance with Red: void, Red did not declare the alliance this turn." in words
    assert "Gold holds no state any more" in words
    assert table.position(3).centres == {"Red": frozenset({"Essex", "Kent"})}


def test_a_map_of_control_goes_with_each_turn(table: Table) -> None:
    """MAP-01: with the results of every turn."""
    table.file("Red", ["Capital Essex"])
    _finish(table, 1)
    letter = table.message(table.letters("final_results")[0])
    # States change hands every turn, so the map does not wait for a Winter.
    assert "powick-bridge-map-601.pdf" in {part.get_filename() for part in letter.iter_attachments()}
    with table.site.store() as session:
        board_control = control(session, table.game, table.load)
    assert board_control is not None
    assert (board_control.centres, board_control.when) == ({"Red": frozenset({"Essex"})}, "after Harvest 601")


def test_the_desk_completes_the_words_of_the_orders(table: Table) -> None:
    """DESK-03 on a board whose orders are its own."""
    completions = words_of(table.variant, PhaseKind.TURN)
    assert {"Grain for Defense of", "Grain for Conquest of", "Capital", "King to"} <= set(completions.verbs)
    assert phase_title(table.phase()) == "Harvest 601 Turn"
