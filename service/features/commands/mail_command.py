"""Mail commands: a subject such as "Powick Bridge, Montrose, STATUS" requests an automatic answer (BOX-11).

Only in games that take them, only of a proved player for the player's own power, and never where anything is
attached: a mail with a photograph is a sheet, whatever its subject states.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from grammar.headings.names import exact_spans, heading_names
from grammar.headings.tokens import Token, clean_line, drop_prefixes, tokens
from service.facts.refusals import RefusalReason
from service.intake.verdicts.context import GameContext, IntakeContext
from service.intake.verdicts.verdict import Verdict
from service.mail.message import BodyState, IncomingMail

_MOST_WORDS = 20
"""Words of a subject that may be a command."""
_NOT_A_PLAYERS = {
    RefusalReason.OWN_MAIL, RefusalReason.BOUNCE, RefusalReason.RECEIPT, RefusalReason.AUTO_REPLY,
    RefusalReason.BAD_FROM, RefusalReason.AUTH_FAILED,
}  # fmt: skip


class Command(StrEnum):
    """The commands of a player."""

    STATUS = "status"
    SHEET = "sheet"
    MAP = "map"
    RESULTS = "results"
    HELP = "help"


# "My order sheet" without a photograph is not a request for a blank one: its sender forgot to attach it.
_OTHER_WORDS = {"a", "again", "bitte", "blank", "danke", "for", "last", "me", "merci", "of", "please", "send",
                "thanks", "the"}
_WORDS = {word.value: word for word in Command} | {
    "stand": Command.STATUS, "statut": Command.STATUS, "blatt": Command.SHEET, "feuille": Command.SHEET,
    "karte": Command.MAP, "carte": Command.MAP, "ergebnisse": Command.RESULTS, "resultats": Command.RESULTS,
    "résultats": Command.RESULTS, "hilfe": Command.HELP, "aide": Command.HELP,
}
"""In the languages that orders may be written in. Anyone who writes "Hilfe" waits for an answer, whatever the
language of the game."""


@dataclass(frozen=True, slots=True)
class MailCommand:
    """A command of the player of `power` in `game`, both by their names; `address` is registered for it."""

    command: Command
    game: str
    power: str
    address: str


def command_in(mail: IncomingMail, verdict: Verdict, context: IntakeContext) -> MailCommand | None:
    """The command of a judged mail; None for any other mail, which is then treated by its verdict."""
    if verdict.reason in _NOT_A_PLAYERS or verdict.sender is None:
        return None
    # What was not read may hold a sheet.
    if mail.body is not BodyState.READ or mail.has_pictures or mail.encrypted or mail.overflow:
        return None
    words = tokens(drop_prefixes(clean_line(mail.subject)))
    if not 1 <= len(words) <= _MOST_WORDS:
        return None
    seats = _seats(words, verdict.sender, context)
    return seats[0] if len(seats) == 1 else None


def _seats(words: tuple[Token, ...], sender: str, context: IntakeContext) -> list[MailCommand]:
    """The sender's seats that a subject may mean, each with the command."""
    seats = []
    for game in context.games:
        command = _command(words, game) if game.takes_commands else None
        if command is None:
            continue
        named = {span.name for span in exact_spans(words, heading_names([game.known], [game.known]).powers)}
        for power in game.players:
            address = game.registered_address(sender, power)
            if address is not None and named <= {power}:
                seats.append(MailCommand(command, game.name, power, address))
    return seats


def _command(words: tuple[Token, ...], game: GameContext) -> Command | None:
    """The one command in a subject that has nothing else but names of this game and words without weight."""
    names = heading_names([game.known], [game.known])
    spans = (*exact_spans(words, names.games), *exact_spans(words, names.powers))
    named = {index for span in spans for index in span.indices}
    left = [word.text for index, word in enumerate(words) if index not in named]
    commands = [_WORDS[text] for text in left if text in _WORDS]
    # "What is the status of our alliance?" is for a person.
    is_command = len(commands) == 1 and all(text in _WORDS or text in _OTHER_WORDS for text in left)
    return commands[0] if is_command else None
