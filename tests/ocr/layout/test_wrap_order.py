"""Joining rows by their worth says beforehand which lines it will ask for, so that they can be read side by
side."""

from __future__ import annotations

from ocr.layout.wrap import join_by_worth
from ocr.page import Box, ReadLine, Row


def row(text: str, top: int, indent: float = 0.0) -> Row:
    return Row(
        Box(((0, top), (90, top), (90, top + 9), (0, top + 9))),
        text,
        0.9,
        left=0.05,
        right=0.95,
        indent=indent,
    )


def test_what_is_asked_for_was_told_before() -> None:
    rows = [
        row("army kent", 0),
        row("to cork", 20, 1.0),
        row("army york holds", 40),
        row("fleet", 60),
        row("bath holds", 80, 1.0),
    ]
    told: list[str] = []
    asked: list[str] = []

    def worth(line: ReadLine) -> float:
        assert line.text in told
        asked.append(line.text)
        return float(len(line.rows))

    lines = join_by_worth(
        rows, worth, lambda line: line.text.endswith("holds"), lambda some: told.extend(x.text for x in some)
    )
    assert sorted(told) == sorted(asked)
    assert "army kent to cork" in asked
    assert "to cork army york holds" not in asked  # a whole order that is not indented ends no other
    assert [text for line in lines for text in [r.text for r in line.rows]] == [r.text for r in rows]
