"""Whether a PDF is for everyone (ISO 14289-1, PDF/UA-1), asked of `page`, a checker in Rust that shares
nothing with what writes our files. Its rules are those of the Matterhorn protocol that need no human."""

from __future__ import annotations

import page


def pdf_ua_faults(data: bytes) -> list[str]:
    """What a PDF lacks of ISO 14289-1, a sentence each behind the rule's name."""
    report = page.validate_pdf_bytes(data, profile=page.ValidationProfile.PDF_UA_1)
    return [f"{failure.rule_id}: {failure.message}" for failure in report.failures]
