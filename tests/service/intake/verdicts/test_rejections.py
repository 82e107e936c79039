"""Each letter of refusal shows how to correct the fault (OUT-03), and names the sizes that intake allows."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from service.facts.refusals import RefusalReason
from service.intake.verdicts.explanations import explain
from service.intake.verdicts.rules import MOST_BYTES, MOST_PHOTOS
from service.intake.verdicts.verdict import VerdictKind
from service.letters import render
from service.letters.facts import AnsweredMail, Recipient
from service.notices.answers.replies import REJECTION, RejectionFacts
from tests.support.letters_samples import AT
from tests.support.mail_builder import MONTROSE, context, judge, mail, part, text

REQUIRED_PHRASES = {
    RefusalReason.NO_PHOTO: ("text in the message is not read", "photograph the sheet and attach it"),
    RefusalReason.BAD_IMAGE: ("cannot be opened", "jpeg or pdf", "25 mb"),
    RefusalReason.TOO_LARGE: ("too large", "jpeg or pdf", "25 mb"),
    RefusalReason.ENCRYPTED: ("encrypted", "jpeg or pdf without a password"),
    RefusalReason.TOO_DARK: ("too dark", "flat", "daylight", "all four corners"),
    RefusalReason.BLURRED: ("too blurred", "flat", "daylight"),
    RefusalReason.CUT_OFF: ("outside the photograph", "all four corners in view"),
    RefusalReason.BLANK: ("no writing was found", "flat", "daylight"),
    RefusalReason.UNKNOWN_GAME: ("does not name a game", "use one of: powick bridge"),
    RefusalReason.UNKNOWN_POWER: ("does not name a power", "power's name",
                                  "if you changed address, write to the coordinator"),
    RefusalReason.SENDER_NOT_POWER: ("not registered for the power", "own power's name",
                              "if you changed address, write to the coordinator"),
    RefusalReason.PHASE_TYPE_MISMATCH: ("does not belong to that season", ("open now: autumn 1644 retreat, "
                                                                           "until")),
    RefusalReason.WRONG_PHASE: ("is not open", "open now: autumn 1644 retreat, until"),
    RefusalReason.FIRST_BY_POST: ("must be posted", "post the sheet; this picture is stored as a revision"),
}
"""Reason to required phrases, in lower case. A repeat is never answered, and a lower version gets a receipt
that says so."""


@pytest.mark.parametrize("reason", REQUIRED_PHRASES)
def test_a_refusal_says_how_to_mend_it_as_the_list_does(reason: RefusalReason) -> None:
    known = context()
    base = judge(mail(), known=known)
    assert base.verdict is VerdictKind.ACCEPTED
    words = explain(replace(base, verdict=VerdictKind.REJECTED, reason=reason), known)
    letter = render.letter(REJECTION, None, Recipient(MONTROSE), RejectionFacts(
        AnsweredMail("key", AT, base.subject), words.problem, words.reassurance, words.remedy, words.subject))
    letter_text = re.sub(r"\s+", " ", letter.text).casefold()
    for phrase in REQUIRED_PHRASES[reason]:
        assert phrase in letter_text, (reason, phrase)
    # A subject that works when it is copied, wherever another would be refused.
    assert "powick bridge - montrose - autumn 1644 - retreat orders - v" in letter_text


def test_the_size_that_is_named_is_the_size_that_is_allowed() -> None:
    words = explain(
        replace(judge(mail()), verdict=VerdictKind.REJECTED, reason=RefusalReason.TOO_LARGE), context()
    ).remedy
    number, megabytes = (int(digits) for digits in re.findall(r"\d+", words))
    assert number == MOST_PHOTOS
    assert megabytes * 1_000_000 <= MOST_BYTES < (megabytes + 2) * 1_000_000


@pytest.mark.parametrize(("raw", "reason"), [
    (mail(parts=[text("A Fife H")]), RefusalReason.NO_PHOTO),
    (mail(parts=[text(), part(b"\xff\xd8\xff junk")]), RefusalReason.BAD_IMAGE),
    (mail("Nasby, Montrose, Autumn 1644 Retreats"), RefusalReason.UNKNOWN_GAME),
    (mail("Powick Bridge, Xanadu, Autumn 1644 Retreats"), RefusalReason.UNKNOWN_POWER),
    (mail("Powick Bridge, Argyll, Autumn 1644 Retreats"), RefusalReason.SENDER_NOT_POWER),
    (mail("Powick Bridge, Montrose, Spring 1645 Movement"), RefusalReason.WRONG_PHASE),
    (mail("Powick Bridge, Montrose, Winter 1645 Retreats"), RefusalReason.PHASE_TYPE_MISMATCH),
])
def test_real_mails_come_to_these_reasons_and_their_sender_is_answered(
    raw: bytes, reason: RefusalReason
) -> None:
    verdict = judge(raw)
    assert (verdict.verdict, verdict.reason, verdict.reply_to) == (VerdictKind.REJECTED, reason, MONTROSE)
