"""The words for a sender: what happened, what is safe, what to do, and a subject that works when copied."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from adjudicator.calendar import Phase, PhaseKind
from grammar.headings.subject import parse_subject
from grammar.headings.values import Heading
from service.facts.refusals import RefusalReason
from service.intake.verdicts.context import AnnouncedPhase
from service.intake.verdicts.explanations import explain, gmt, phase_words
from service.intake.verdicts.verdict import Verdict, VerdictKind
from tests.support.mail_builder import (
    IN_TIME,
    MONTROSE,
    context,
    index,
    judge,
    judge_all,
    mail,
    part,
    picture,
    text,
)

NEVER_ANSWERED = {
    RefusalReason.OWN_MAIL,
    RefusalReason.BOUNCE,
    RefusalReason.RECEIPT,
    RefusalReason.AUTO_REPLY,
    RefusalReason.DUPLICATE,
}


@pytest.mark.parametrize("reason", sorted(set(RefusalReason) - NEVER_ANSWERED))
def test_every_rejection_says_what_happened_what_is_safe_and_what_to_do(reason: RefusalReason) -> None:
    base = judge(mail(parts=[text()]))
    words = explain(replace(base, verdict=VerdictKind.REJECTED, reason=reason), context())
    for sentence in (words.problem, words.reassurance, words.remedy):
        assert sentence.endswith(".")
        assert sentence[0].isupper()


@pytest.mark.parametrize("reason", sorted(NEVER_ANSWERED))
def test_every_ignored_mail_has_words_for_the_desk(reason: RefusalReason) -> None:
    words = explain(Verdict(VerdictKind.IGNORED, reason), context())
    assert words.problem
    assert words.subject == ""


@pytest.mark.parametrize(
    "subject",
    [
        "my orders",
        "Naseby, Montrose, Autumn 1644 Retreats",
        "Powick Bridge, Argyll, Autumn 1644 Retreats, v7",
    ],
)
def test_the_subject_to_copy_works(subject: str) -> None:
    copied = explain(judge(mail(subject)), context()).subject
    heading = parse_subject(copied, context().known)
    assert isinstance(heading, Heading)
    assert judge(mail(copied)).verdict is VerdictKind.ACCEPTED
    assert copied.startswith("Powick Bridge - Montrose - Autumn 1644 - Retreat Orders - v")


def test_no_subject_is_offered_where_more_than_one_would_fit() -> None:
    known = index()["context"]["games"]
    two_games = context(games={**known, "Naseby": known["Powick Bridge"]})
    words = explain(judge(mail("my orders"), known=two_games), two_games)
    assert words.subject == ""
    words = explain(judge(mail("Nasby, Xanadu, Autumn 1644 Retreats"), known=two_games), two_games)
    assert words.subject.startswith("Naseby - Montrose - ")


def test_a_mail_given_up_is_not_called_received() -> None:
    words = explain(Verdict(VerdictKind.REJECTED, alert=True), context())
    assert words.problem == "The mail could not be handled."
    assert "quarantine" in words.remedy


def test_a_stranger_is_offered_nothing() -> None:
    words = explain(judge(mail(sender="someone@else.example")), context())
    assert words.subject == ""


def test_an_unknown_game_is_answered_with_the_senders_own_games() -> None:
    words = explain(judge(mail("Naseby, Montrose, Autumn 1644 Retreats")), context())
    assert words.remedy == "Use one of: Powick Bridge."
    assert words.problem == 'The subject does not name a game of this site. It has "naseby".'


def test_a_wrong_phase_is_answered_with_the_open_one() -> None:
    words = explain(judge(mail("Powick Bridge, Montrose, Spring 1645 Movement")), context())
    assert words.remedy == "Open now: Autumn 1644 Retreat, until Sun 23 Mar 2025, 07:00 GMT."


def test_a_phase_that_asks_only_others_is_not_offered() -> None:
    """Q-74: what the player is asked for next, and from when on."""
    opens = datetime(2025, 3, 30, 7, tzinfo=UTC)
    later = AnnouncedPhase(Phase(1645, "Winter", PhaseKind.ADJUSTMENT), opens)
    known = context()
    others = replace(known, games=tuple(
        replace(game, asked=frozenset({"Argyll"}), announced=(later,)) for game in known.games))
    subject = "Powick Bridge, {}, Spring 1645 Movement"
    words = [explain(judge(mail(subject.format("Montrose")), known=each), each) for each in (known, others)]
    assert words[0].remedy.startswith("Open now: Autumn 1644 Retreat, until ")
    assert words[1].remedy == (
        "No orders of yours are asked for now. Winter 1645 Adjustment opens Sun 30 Mar 2025, 07:00 GMT; a "
        "sheet that comes before is kept and counts then.")


def test_a_sheet_for_a_game_that_is_over_is_answered_so() -> None:
    """BEY-03: the calendar has no next phase to wait for."""
    known = context()
    over = replace(known, games=tuple(
        replace(game, open_phase=None, deadline=None, is_over=True) for game in known.games))
    words = explain(judge(mail("Powick Bridge, Montrose, Spring 1645 Movement"), known=over), over)
    assert words.remedy == "The game is over and takes no more orders. Thank you for playing."


def test_receipts() -> None:
    def sheet(version: str, *shades: int) -> bytes:
        subject = f"Powick Bridge, Montrose, Autumn 1644 Retreats{version}"
        return mail(subject, parts=[part(picture(shade)) for shade in shades])

    verdicts = judge_all(sheet(", v3", 1), sheet(", v2", 2, 3), sheet(", v3", 4), sheet("", 5))
    explanations = [explain(verdict, context()) for verdict in verdicts]
    assert (
        explanations[0].problem
        == "Received: Autumn 1644 Retreat Orders of Montrose in Powick Bridge, version 3, 1 photograph."
    )
    assert explanations[0].remedy == ""
    assert "version 2, 2 photographs" in explanations[1].problem
    assert "Version 3 is on file and counts before it" in explanations[1].remedy
    assert "A different version 3 was received before" in explanations[2].remedy
    assert "without a version number" in explanations[3].problem
    assert "Version 3 is on file and counts before it" in explanations[3].remedy


def test_broken_pictures_are_named_in_the_receipt() -> None:
    words = explain(judge(mail(parts=[part(picture()), part(b"junk")])), context())
    assert "could not be opened" in words.remedy


def test_phase_and_time_as_players_are_told() -> None:
    assert gmt(IN_TIME) == "Sat 22 Mar 2025, 12:00 GMT"
    assert (
        phase_words(judge(mail("Powick Bridge, Montrose, Winter 1645 Builds")))
        == "Winter 1645 Adjustment Orders"
    )
    assert phase_words(Verdict(VerdictKind.REJECTED, sender=MONTROSE)) == "Orders"
