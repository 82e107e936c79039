"""Games in the formats of other programs: write a site's game, judge a file again, turn a file into another
format."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

import maps
from adjudicator.formats.forms import READERS, Format, recognized, write_log
from adjudicator.formats.game_log import MAX_BYTES, FormatFault, GameLog, Written
from adjudicator.formats.judge_again import check, with_results
from maps.game_board import game_board
from maps.variant import Variant
from service.cli.adjudicate import case_lines, judged
from service.cli.program.results import print_result
from service.features.formats.public_log import write_game
from service.games.names import game_called
from service.site_folder import SiteError, opened, settings_of


def export_format(
    folder: Path,
    game: str,
    output: Path,
    form: str,
    out: TextIO,
    *,
    lossy: bool,
    as_json: bool = False,
    quiet: bool = False,
) -> int:
    """Write a site's game for another program. Raises FormatFault, SiteError, NoSuchGame."""
    with opened(settings_of(folder)) as store, store() as session:
        written = write_game(session, game_called(session, game), Format(form), lossy=lossy)
    _write(output, written, form, out, as_json=as_json, quiet=quiet)
    return 0


def convert(
    file: Path,
    output: Path,
    slug: str,
    form: str,
    out: TextIO,
    *,
    lossy: bool,
    as_json: bool = False,
    quiet: bool = False,
) -> int:
    """Write the game of a file in another format, with our judge's results. Raises FormatFault, SiteError."""
    variant = maps.load(slug)
    board = game_board(variant)
    games = _games(variant, file)
    if len(games) != 1:
        raise FormatFault(f"{file} holds {len(games)} games, but one is converted at a time; split the file.")
    log = games[0]
    if log.faults:
        raise FormatFault(log.faults[0])
    unread = tuple(
        f"{phase.position.phase}: the order {text!r} cannot be read."
        for phase in log.phases
        for text in phase.unread
    )
    written = write_log(board, with_results(board, log), Format(form), lossy=lossy, hidden=unread)
    _write(output, written, form, out, as_json=as_json, quiet=quiet)
    return 0


def judge_again(file: Path, slug: str, out: TextIO, *, as_json: bool) -> int:
    """Judge every phase of a file again and print what differs from it. Exit status 1 if anything does."""
    variant = maps.load(slug)
    lines = list(
        _compared_cases(variant, file)
        if recognized(_bytes(file)) is Format.CASES
        else _compared(variant, file)
    )
    odd = [line for line in lines if line["differences"] or line["unread"]]
    for line in lines if as_json else odd:
        print(json.dumps(line, ensure_ascii=False) if as_json else _sentence(line), file=out)
    if not as_json:
        same = len(lines) - sum(bool(line["differences"]) for line in lines)
        total = f"{same} of {len(lines)} phases have the same results here."
        print(total if lines else "There is no judged phase in the file, so nothing was compared.", file=out)
    return 1 if odd or not lines else 0


def _sentence(line: dict[str, Any]) -> str:
    parts = [*line["differences"], *(f"cannot be read: {text}" for text in line["unread"])]
    return f"{line['game']}, {line['phase']}: {'; '.join(parts)}"


def _compared(variant: Variant, file: Path) -> Iterator[dict[str, Any]]:
    for log in _games(variant, file):
        for fault in log.faults:
            yield {"game": log.name, "phase": "", "differences": [fault], "unread": []}
        for judged_phase in check(game_board(variant), log):
            yield {
                "game": log.name,
                "phase": str(judged_phase.phase),
                "differences": list(judged_phase.differences),
                "unread": list(judged_phase.unread),
            }


def _compared_cases(variant: Variant, file: Path) -> Iterator[dict[str, Any]]:
    for line in case_lines(_bytes(file)):
        answer = judged(variant, line)
        expected = json.loads(line).get("expect", {}) if "error" not in answer else {}
        differences = (
            [answer["error"]]
            if "error" in answer
            else [
                f"{key} is different"
                for key, value in expected.items()
                if _plain(answer.get(key)) != _plain(value)
            ]
        )
        yield {"game": file.stem, "phase": str(answer["id"]), "differences": differences, "unread": []}


def _plain(value: Any) -> Any:
    """A value to compare: sets may come in any order."""
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list):
        parts = [_plain(part) for part in value]
        return sorted(parts) if all(isinstance(part, str) for part in parts) else parts
    return value


def _games(variant: Variant, file: Path) -> tuple[GameLog, ...]:
    data = _bytes(file)
    form = recognized(data)
    if form is Format.CASES:
        raise FormatFault(f"{file} holds single cases; only games can be converted.")
    return READERS[form](game_board(variant), data)


def _bytes(file: Path) -> bytes:
    size = file.stat().st_size
    if size > MAX_BYTES:
        raise FormatFault(
            f"{file} has {size:,} bytes, more than the {MAX_BYTES:,} allowed for a saved game; it was not "
            "read."
        )
    return file.read_bytes()


def _write(output: Path, written: Written, form: str, out: TextIO, *, as_json: bool, quiet: bool) -> None:
    if output.exists():
        raise SiteError(f"{output} exists already and was not overwritten; choose another name.")
    output.write_bytes(written.data)
    size = len(written.data)
    left_out = [f"Left out: {text}" for text in written.left_out]
    sentences = [f"Wrote {output}: {size:,} bytes.", *left_out, *written.notes]
    # What is missing is stated also where confirmations are not wanted.
    is_silent = quiet and not left_out
    facts = {"file": str(output), "format": form, "bytes": size, "left_out": list(written.left_out),
             "notes": list(written.notes)}  # fmt: skip
    print_result(out, "\n".join(sentences), facts, as_json=as_json, quiet=is_silent)
