"""Samples of the letters between players and the coordinator."""

from __future__ import annotations

from service.features.correspondence.letters import (
    ACKNOWLEDGEMENT,
    ANSWER,
    AcknowledgementFacts,
    AnswerFacts,
    SeatOnFile,
)
from service.letters.facts import AnsweredMail, GameInfo, Recipient
from service.letters.render import letter
from service.mail.sending.compose import OutLetter
from tests.support.letters_samples import AT, CLOSING, DIGEST, SUBJECT


def every_letter(game: GameInfo, to: Recipient, nasty: str) -> dict[str, OutLetter]:
    """Kind, or kind and what is special about it, to a letter."""
    asks = (f"<a1{len(nasty)}@mailbox.example>",)
    return {
        "acknowledgement": letter(ACKNOWLEDGEMENT, game, to, AcknowledgementFacts(
            AnsweredMail(DIGEST, AT, f"Three more days?{nasty}", asks),
            (SeatOnFile("Powick Bridge", "Montrose", CLOSING, f"version 2, received yesterday{nasty}",
                        SUBJECT, takes_typed_orders=True),), (f"orders.docx{nasty}",), names_sheet=True)),
        "acknowledgement bare": letter(ACKNOWLEDGEMENT, None, to, AcknowledgementFacts(
            AnsweredMail(DIGEST, AT, ""))),
        "answer": letter(ANSWER, game, to, AnswerFacts(
            AnsweredMail("a-key", AT, f"Three more days?{nasty}", asks),
            "Dear Graham,\n\nyes, until Thursday.\nAda", f"Three more days?{nasty}")),
        "answer no game": letter(ANSWER, None, to, AnswerFacts(
            AnsweredMail("b-key", AT, ""), "Yes.", "")),
    }
