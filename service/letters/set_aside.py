"""What was received of a power and does not count, as sentences for any language (LET-10).

`service.games.approval.papers` states them in English. Here each is taken apart again, since the games know
nothing of languages. A reason that the coordinator typed stays as typed.
"""

from __future__ import annotations

from collections.abc import Mapping

from service.facts.sheets import half_sentences
from service.letters.language import N_, Sentence

_SHEET, _MAIL = (N_("A sheet was received and set aside: %(reason)s."),
                 N_("A mail was received and set aside: %(reason)s."))
_WHOLE = (N_("A sheet was received after the deadline and does not count."),
          N_("A mail was received without a photograph of a sheet."),
          N_("A letter was received by post, and no scan of it is on file."))
_BETWEEN = "; "


def translatable(sentences: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """The sentences of each power, as `papers.set_aside` gives them, each ready for any language."""
    return {power: tuple(_sentence(text) for text in group) for power, group in sentences.items()}


def _sentence(text: str) -> str:
    if text in _WHOLE:
        return Sentence(text)
    for message in (_SHEET, _MAIL):
        start = message.partition("%")[0]
        if text.startswith(start):
            return Sentence(message, reason=_reason(text.removeprefix(start).removesuffix(".")))
    return text


def _reason(text: str) -> str:
    """Our own reasons, one or several with semicolons; any other words as they are."""
    parts = text.split(_BETWEEN)
    if not set(parts) <= set(half_sentences()):
        return text
    return Sentence(_BETWEEN.join(f"%(part{number})s" for number in range(len(parts))),
                    **{f"part{number}": Sentence(part) for number, part in enumerate(parts)})
