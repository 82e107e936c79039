"""What `galloper check` tests of the time-stamping authority: it is asked once."""

from __future__ import annotations

import secrets
from pathlib import Path

from service.config import Settings
from service.operations.findings import Finding, FindingState

NAME = "authority"


def check_authority(settings: Settings) -> Finding:
    """Have some random digits stamped. Nothing of the site is sent. Raises ConfigError for a file of
    certificates that cannot be read."""
    from service.record import time_stamps
    from service.site_folder import certificates_in

    if not settings.stamp_authority:
        return Finding(NAME, FindingState.WELL, "none stamps the roots of results (stamp_authority)")
    if not time_stamps.prepare():
        return Finding(NAME, FindingState.TROUBLE, 'stamp_authority needs another package: '
                                                   'pip install "galloper[stamps]"')
    path = settings.stamp_certificates
    certificates = certificates_in(Path(path)) if path else ""
    return _asked(settings.stamp_authority, path, certificates)


def _asked(address: str, path: str, certificates: str) -> Finding:
    from service.operations.root_stamps import HttpAuthority
    from service.record import time_stamps

    root = secrets.token_hex(32)
    question = time_stamps.question(root)
    reply = HttpAuthority(address)(question.data)
    if reply is None:
        return Finding(NAME, FindingState.TROUBLE, f"{address} gave no answer; letters and deadlines do not "
                                                   "wait for it")
    try:
        stamp = time_stamps.stamp_of(reply, root, question.nonce)
    except time_stamps.FalseStamp as fault:
        return Finding(NAME, FindingState.TROUBLE, f"{address} gave no stamp: {fault}")
    name = stamp.authority or "an authority without a name"
    if not certificates:
        return Finding(NAME, FindingState.NOTE, f"{name} stamps; nothing says whose certificates to believe "
                                                "(stamp_certificates)")
    if not time_stamps.is_signed(reply, root, certificates):
        return Finding(NAME, FindingState.TROUBLE, f"{path} does not vouch for the stamps of {name}")
    return Finding(NAME, FindingState.WELL, f"{name} stamps, and {path} vouches for it")
