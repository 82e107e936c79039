"""A sample of each answer to a mail command."""

from __future__ import annotations

from service.features.commands.answers import COMMAND, CommandFacts, OwnSheet
from service.letters.facts import AnsweredMail, GameInfo, Recipient
from service.letters.render import letter
from service.mail.sending.compose import OutLetter
from tests.support.letters_samples import AT, CLOSING, DIGEST, MAP_FILE, SUBJECT


def every_letter(game: GameInfo, to: Recipient, nasty: str) -> dict[str, OutLetter]:
    """Kind, or kind and what is special about it, to a letter."""
    asks = (f"<a1{len(nasty)}@mailbox.example>",)
    mail = AnsweredMail(DIGEST, AT, f"Edgehill{nasty}", asks)
    return {
        "command status": letter(COMMAND, game, to, CommandFacts(
            mail, "status", 1, 5, CLOSING, OwnSheet(AT, 2, DIGEST, held=True, unsure=3), SUBJECT)),
        "command status none": letter(COMMAND, game, to, CommandFacts(
            mail, "status", 1, 5, CLOSING, subject=SUBJECT)),
        "command sheet": letter(COMMAND, game, to, CommandFacts(
            mail, "sheet", 1, 5, CLOSING, subject=SUBJECT), attached=(MAP_FILE,)),
        "command map": letter(COMMAND, game, to, CommandFacts(
            mail, "map", 1, 5, map_page="https://desk.example/public/map"), attached=(MAP_FILE,)),
        "command results": letter(COMMAND, game, to, CommandFacts(mail, "results", 1, 5, CLOSING)),
        "command help": letter(COMMAND, game, to, CommandFacts(mail, "help", 5, 5)),
        "command enough": letter(COMMAND, game, to, CommandFacts(mail, "help", 6, 5)),
    }
