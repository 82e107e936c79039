"""The bold lines of a mail (WSB-02), and its text as a person reads it."""

from __future__ import annotations

import pytest

from service.mail.body import text
from service.mail.body.text import bold_lines, plain_text
from service.mail.mime.parts import MimePart


def html(page: str) -> list[MimePart]:
    return [MimePart("text/html", "", page.encode())]


@pytest.mark.parametrize("page", [
    "<b>A Kent H<br>F Wight H</b>",
    "<b>A Kent H<p>F Wight H</b>",
    "<b>A Kent H</b><div><b>F Wight H</b>",
    "<ul><li><b>A Kent H</b></li><li><b>F Wight H</b></li></ul>",
])
def test_what_is_shown_in_two_lines_is_two(page: str) -> None:
    assert bold_lines(html(page)) == ("A Kent H", "F Wight H")


def test_a_word_in_italics_breaks_no_line() -> None:
    assert bold_lines(html("<b>A <i>Kent</i> <span>H</span></b>")) == ("A Kent H",)


def test_below_the_most_open_tags_a_tag_is_text() -> None:
    """A page of a million open tags costs no more than its text."""
    nested = "<i>" * (text._MOST_OPEN - 1)
    assert bold_lines(html(f"{nested}<b>A Kent H")) == ("A Kent H",)
    assert bold_lines(html(f"{nested}<i><b>A Kent H")) == ()
    assert plain_text(html(f"{nested}<i><b>A Kent H")) == "A Kent H"
