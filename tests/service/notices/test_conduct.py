"""What the handbook asks of players: told once to each of them, and enforced by no one (CON-01 to CON-07,
POST-02, POST-05, POST-08); and how long they may change their minds (CAL-01, CAL-02, NON-04)."""

from __future__ import annotations

from datetime import timedelta

import pytest

import maps
from service.bootstrap import letter_kinds
from service.games.ballots import executed
from service.notices.broadcasts import Broadcasts
from service.notices.results import ResultsAnnouncer
from service.scheduler import due_now
from service.store.tables import AddressRow, MailState, PhaseState, SubmissionRow
from tests.support.letters_samples import every_letter
from tests.support.site import Site
from tests.support.table import COORDINATOR, Table, address, open_table


@pytest.fixture
def table(site: Site) -> Table:
    return open_table(site)


def welcome(table: Table, power: str = "Montrose") -> str:
    """The words of a power's welcome."""
    with table.site.store.begin() as session:
        Broadcasts(table.writer).welcome(session, table.game, power)
    return table.words(table.letters("welcome")[-1])


SAID = (
    # CON-01: by post, pouch or courier alone, by hand for choice, typed allowed, household members too.
    "Players talk to each other by post alone, even if they share a house.",
    "Letters by hand are preferred, typed ones are welcome.",
    # POST-05.
    "A courier or a diplomatic pouch counts as post.",
    # CON-02.
    "Nobody writes as somebody else.",
    # CON-03.
    ("In person, only what is past may be spoken of, and that as if you knew neither your own plans nor your "
     "reasons."),
    # CON-04.
    "Do not use computers to write to one another. The map may be used on a screen or printed.",
    # CON-05.
    "By playing you accept the risk of being misunderstood or misread, and do not blame the coordinator.",
    # CON-06.
    "Please work out the deadlines on your own clock, and check that your calendar shows the right hour.",
    # CON-07: asked for, politely.
    "Please write so that anybody can read it.",
)
"""Each sentence with the requirement that it answers."""


def test_the_welcome_says_how_players_meet(table: Table) -> None:
    words = welcome(table)
    assert [sentence for sentence in SAID if sentence not in words] == []


@pytest.mark.parametrize("slug", ["bretwalda", "britain1066", "brittania", "war1648"])
def test_other_games_rules_say_nothing_of_how_players_meet(slug: str) -> None:
    """The conduct comes from the handbook of Wars of the Three Kingdoms; the other rules have nothing of the
    kind."""
    assert maps.load(slug).conduct == ()


def test_a_game_whose_rules_say_nothing_of_how_players_meet_asks_nothing(site: Site) -> None:
    table = open_table(site, slug="brittania")
    words = welcome(table, next(iter(table.variant.powers)))
    assert "HOW A LETTER LOOKS" in words
    assert "HOW PLAYERS MEET" not in words
    assert "do not blame the coordinator" not in words


def test_conduct_is_stated_at_enrolment_and_in_no_other_letter(table: Table) -> None:
    """CON-05: shown once. A second welcome for the same seat is the same letter and is not sent again."""
    welcome(table)
    welcome(table)
    assert len(table.letters("welcome")) == 1
    others = [letter for letter in every_letter().values() if letter.kind != "welcome"]
    assert {letter.kind for letter in others} == {
        kind.name for kind in letter_kinds().by_name.values() if kind.occasion is not None} - {"welcome"}
    assert not [
        letter.kind
        for letter in others
        if "do not blame the coordinator" in letter.text or "HOW PLAYERS MEET" in letter.text
    ]


def test_the_welcome_shows_what_a_letter_has_above_and_below(table: Table) -> None:
    """POST-02: an optional name, position, game, season with year, salutation; and below the closing the same
    again."""
    words = welcome(table)
    _, _, advice = words.partition("HOW A LETTER LOOKS")
    parts = [
        "(your own name, if you like)",
        "Montrose",
        "Powick Bridge",
        "Summer 1642",
        "To the other player's power,",
        "with a closing of your choice,",
        "Montrose",
        "(your own name, if you like)",
        "Powick Bridge",
        "Summer 1642",
        "real names and addresses",
        "nothing about the game",
    ]
    end = 0
    for part in parts:
        position = advice.find(part, end)
        assert position >= end, part
        end = position + len(part)
    # POST-08: advice, not a condition.
    assert "No letter is refused because a part of it is missing" in advice


@pytest.mark.parametrize(("subject", "flag"), [
    ("Powick Bridge - Montrose - Summer 1642 - Movement Orders", "version_missing"),
    ("Montrose - Summer 1642 - Movement Orders - v1", "game_missing"),
])  # fmt: skip
def test_a_mail_that_lacks_a_part_of_its_subject_counts_where_nothing_else_can_be_meant(
    table: Table, subject: str, flag: str
) -> None:
    """POST-08, Q-06."""
    row = table.take(table.mail("Montrose", subject=subject), table.site.clock.now())
    assert (row.state, (row.verdict or {})["flags"]) == (MailState.USED, [flag])


@pytest.mark.parametrize("subject", [
    "Powick Bridge - Montrose - Summer 1642", "Powick Bridge - Summer 1642 - Movement Orders - v1",
    "Montrose orders",
])  # fmt: skip
def test_a_mail_that_lacks_more_waits_for_a_person_and_is_not_refused(table: Table, subject: str) -> None:
    """POST-08: absence is not a reason by itself; the coordinator looks."""
    row = table.take(table.mail("Montrose", subject=subject), table.site.clock.now())
    assert row.state == MailState.QUARANTINED
    assert [row.recipient for row in table.letters("coordinator_notice")] == [COORDINATOR]


def test_drafts_count_from_the_first_day_and_revisions_until_the_last_second(table: Table) -> None:
    """CAL-01, CAL-02: a photograph on T+0, another on T+11 and one at the deadline itself; the last one
    counts."""
    phase = table.phase()
    moments = (phase.opens_at, phase.opens_at + timedelta(days=11), phase.deadline)
    for version, received_at in enumerate(moments, start=1):
        row = table.take(
            table.mail("Montrose", shade=60 + 40 * version, subject=table.subject("Montrose", version)),
            received_at
        )
        assert row.state == MailState.USED, version
    assert [(submission.version, submission.fate) for submission in table.submissions()] == [
        (1, "counts"),
        (2, "counts"),
        (3, "counts"),
    ]
    with table.site.store() as session:
        (chosen,) = executed(session, table.phase()).values()
        assert session.get_one(SubmissionRow, chosen).version == 3


def test_nothing_is_closed_early_though_every_sheet_is_in(table: Table) -> None:
    """NON-04: a deadline does not move because every sheet is in."""
    site, phase = table.site, table.phase()
    for power in table.variant.powers:
        table.file(power, ())
    site.clock.set(phase.deadline - timedelta(seconds=1))
    assert [key for key in due_now(site.clock, site.store, site.jobs) if key.startswith("deadline")] == []
    assert table.phase().state == PhaseState.OPEN
    site.clock.set(phase.deadline)
    assert len([key for key in due_now(site.clock, site.store, site.jobs) if key.startswith("deadline")]) == 1


def test_a_player_without_a_mail_address_is_not_forgotten(table: Table) -> None:
    """OUT-04: the coordinator learns once whom the results do not reach; everybody else has theirs."""
    with table.site.store.begin() as session:
        session.delete(session.get_one(AddressRow, address("Ormond")))
    table.announce = ResultsAnnouncer(table.writer)
    table.site.clock.set(table.phase().deadline)
    table.close_phase(table.phase().id)
    table.approve_phase(table.phase().id, "ada")
    results = {row.recipient for row in table.letters("final_results")}
    assert results == {address(power) for power in table.variant.powers} - {address("Ormond")}
    (notice,) = table.letters("coordinator_notice")
    words = " ".join(table.words(notice).split())
    assert "The player of Ormond has no mail address." in words
    assert "print the results from Letters and post them" in words
