"""Questions by a word in the subject (README.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from service.feature import Feature

if TYPE_CHECKING:
    from service.intake.mail_handlers import MailHandler
    from service.letters.kinds import AnyKind
    from service.notices.letter_context import LetterContext


def _letter_kinds() -> Sequence[AnyKind]:
    from service.features.commands.answers import COMMAND

    return (COMMAND,)


def _mail_handlers(letters: LetterContext) -> Sequence[MailHandler]:
    from service.features.commands.answers import CommandHandler

    return (CommandHandler(letters),)


FEATURE = Feature("commands", letter_kinds=_letter_kinds, mail_handlers=_mail_handlers)
