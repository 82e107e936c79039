"""What servers answer to a move (RFC 4315, 3): by it a mail is known again that another program brings back
(MBX-01)."""

from __future__ import annotations

import pytest

from service.mail.mailbox.imap_answers import BATCH, copied_uids


@pytest.mark.parametrize(("answer", "pairs"), [
    (b"38505 304,319:320 3956:3958", [(304, 3956), (319, 3957), (320, 3958)]),
    # A range may have its ends in either order (RFC 3501, 9).
    (b"38505 320:319 3958:3957", [(319, 3957), (320, 3958)]),
    (b" 38505 7 9 ", [(7, 9)]),
    (b"38505 7:8 9", []), (b"38505 7:8:9 1", []), (b"38505 , 1", []), (b"38505 7", []), (b"x 7 9", []),
])
def test_each_mail_has_its_old_and_its_new_number(answer: bytes, pairs: list[tuple[int, int]]) -> None:
    assert [*copied_uids([answer])] == [("38505", *pair) for pair in pairs]


def test_a_range_without_end_is_that_of_one_command() -> None:
    pairs = [*copied_uids([b"1 1:4294967295 5:4294967295"])]
    assert pairs == [("1", number, number + 4) for number in range(1, BATCH + 1)]
