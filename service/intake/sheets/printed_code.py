"""What the code of a printed sheet states against what the sheet was filed as (LET-12).

A code is read surely or not at all, so it beats the heading. It never files a sheet and never opens one: who
sent a mail is proved by the mail, and a code that states otherwise only holds the sheet for a person.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from adjudicator.calendar import Phase
from grammar.headings.sheet_code import SheetCode, parse_code
from ocr.page import Page


def code_on(page: Page) -> SheetCode | None:
    """The code of a page; None if it has none of ours that could be read."""
    return None if page.printed is None else parse_code(page.printed.code)


def differing_fields(codes: Sequence[SheetCode], game: str, power: str, phase: Phase) -> frozenset[str]:
    """The fields in which any page was printed for something else; `game` and `power` are ids."""
    differing: set[str] = set()
    for code in codes:
        checks = {
            "game": code.is_of_game(game), "power": code.is_of_power(power),
            "season": code.season == phase.season.upper(), "year": code.year == phase.year,
            "kind": code.kind is phase.kind}
        differing |= {field for field, is_same in checks.items() if not is_same}
    return frozenset(differing)


def by_page_number(codes: Mapping[str, SheetCode], files: Sequence[str]) -> list[str]:
    """Files in the order of the page numbers in their codes; as they are where a file has no code, or where
    the codes are not of one sheet.

    `codes`: the code of the first page of each file that has one."""
    if len(codes) < len(set(files)):
        return list(files)
    sheets = {(code.game, code.power, code.season, code.year, code.kind) for code in codes.values()}
    # The same number twice is a sheet that was photographed twice: the mail's order is.
    if len(sheets) != 1 or len({code.page for code in codes.values()}) < len(codes):
        return list(files)
    return sorted(files, key=lambda file: codes[file].page)
