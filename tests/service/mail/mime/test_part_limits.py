"""How many parts a mail may have: as many as `MOST_PARTS`, the mail itself among them, and not one more."""

from __future__ import annotations

import pytest

from service.mail.headers import split_mail
from service.mail.mime.parts import MOST_PARTS, read_parts


@pytest.mark.parametrize(("parts", "overflow"), [(MOST_PARTS - 1, False), (MOST_PARTS, True)])
def test_a_mail_may_have_so_many_parts_and_no_more(parts: int, *, overflow: bool) -> None:
    inner = b"--x\r\nContent-Type: text/plain\r\n\r\na\r\n" * parts
    head = b"MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n"
    headers, body = split_mail(head + inner + b"--x--\r\n")
    assert read_parts(headers, body).overflow is overflow
