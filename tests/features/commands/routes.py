"""What of the feature tests of the core must know."""

from __future__ import annotations

ANSWERS = {"command": "it answers a mail"}
"""Its kinds of letters that answer a mail, for `tests/service/mail/sending/test_letter_headers.py`."""
