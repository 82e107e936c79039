"""Which formats there are, and the way into each: recognize a file's bytes, read them, write a game."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from enum import StrEnum

from adjudicator.formats import datc_cases, diplomacy_game, jdip_reader, jdip_writer
from adjudicator.formats.classic import refuse_losses
from adjudicator.formats.game_log import FormatFault, GameBoard, GameLog, Written
from adjudicator.serialize.answers import case_of


class Format(StrEnum):
    """The formats of a written game."""

    DIPLOMACY = "diplomacy"
    JDIP = "jdip"
    DATC = "datc"
    CASES = "cases"


WRITERS: Mapping[Format, Callable[..., Written]] = {
    Format.DIPLOMACY: diplomacy_game.write,
    Format.JDIP: jdip_writer.write,
    Format.DATC: datc_cases.write,
}
READERS: Mapping[Format, Callable[[GameBoard, bytes], tuple[GameLog, ...]]] = {
    Format.DIPLOMACY: diplomacy_game.read,
    Format.JDIP: jdip_reader.read,
    Format.DATC: datc_cases.read,
}


def recognized(data: bytes) -> Format:
    """The format of a file's bytes, by how they begin. Raises FormatFault."""
    if data.startswith(b"\x1f\x8b") or b"<jsx" in data[:4000]:
        return Format.JDIP
    head = data[:400_000].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(b"{"):
        return Format.DIPLOMACY if b'"phases"' in head else Format.CASES
    if b"case" in head.lower():
        return Format.DATC
    raise FormatFault(
        "The file is in no format that is known here: a saved game of diplomacy or jDip, test cases of jDip, "
        "or cases of galloper adjudicate."
    )


def write_log(
    board: GameBoard, log: GameLog, form: Format, *, lossy: bool, hidden: tuple[str, ...] = ()
) -> Written:
    """A game in a format. `hidden` states for which phases something is missing. Raises FormatFault."""
    refuse_losses(hidden, lossy=lossy)
    written = (
        _write_cases(board, log, lossy=lossy)
        if form is Format.CASES
        else WRITERS[form](board, log, lossy=lossy)
    )
    return Written(written.data, (*hidden, *written.left_out), written.notes)


def _write_cases(board: GameBoard, log: GameLog, *, lossy: bool) -> Written:
    """A case of `galloper adjudicate` for each judged phase, with what is expected."""
    lines, left_out = [], []
    for phase in log.phases:
        if phase.resolution is None:
            continue
        case, answer = case_of(board.context, board.rules, phase.position, phase.resolution, phase.lots)
        if case is None or answer is None:
            left_out.append(f"{phase.position.phase}: a case cannot hold all of it.")
            continue
        answer.pop("id")
        lines.append(json.dumps({**case, "expect": answer}, ensure_ascii=False))
    refuse_losses(left_out, lossy=lossy)
    if not lines:
        raise FormatFault("No phase of this game can be written as a case yet; nothing was written.")
    return Written(("\n".join(lines) + "\n").encode(), tuple(left_out))
