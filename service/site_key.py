"""The site's key: 32 secret bytes in a file of their own, from which the secrets of every game come.

It is neither in the database nor in a backup or an archive. So anyone who reads those has no seed of a lot
before its time and cannot sign a receipt (docs/adr/0021). Anyone who reads the file can do both.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adjudicator.errors import UserFacingError

LENGTH = 32
"""Bytes of the key."""
IN_SESSION = "site_key"
"""The name under which a session holds the key of its site."""


class NoSiteKey(UserFacingError):
    """A secret of a game is needed, and the site's key is not there or is not a key; the sentence shows what
    to do."""


@dataclass(frozen=True, slots=True)
class SiteKey:
    """The key. Raises NoSiteKey if it has another length than 32 bytes."""

    secret: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.secret) != LENGTH:
            raise NoSiteKey("The site's key is damaged: its file must have 64 hexadecimal digits. Replace "
                            "it by the copy from the setup of the site.")

    def derive(self, purpose: str, *parts: str) -> bytes:
        """32 secret bytes for one purpose; other parts give other bytes, of which nothing can be learnt from
        these (HMAC-SHA256, RFC 2104)."""
        text = "\n".join(("galloper", purpose, *parts))
        return hmac.new(self.secret, text.encode(), hashlib.sha256).digest()


def read(path: Path) -> SiteKey | None:
    """The key in a file; None if there is no such file. Raises NoSiteKey for one that is damaged or cannot be
    read."""
    try:
        return SiteKey(bytes.fromhex(path.read_text(encoding="ascii").strip()))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise NoSiteKey(f"The site's key {path} cannot be read ({error.strerror}); check that this account "
                        "can read it.") from error
    except ValueError:
        return SiteKey(b"")


def make(path: Path) -> SiteKey:
    """A new key, written for this account alone; the one that is there if another process was faster."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Written aside and linked: no one reads half a key, and of two who make one the first one's stays.
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(secrets.token_hex(LENGTH) + "\n")
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
    key = read(path)
    assert key is not None
    return key


def of_session(session: Any) -> SiteKey:
    """The key of the site that a session belongs to. Raises NoSiteKey."""
    key = session.info.get(IN_SESSION)
    if not isinstance(key, SiteKey):
        raise NoSiteKey(
            "The site's key is missing: the file site.key next to its settings (or the file of the setting "
            "site_key). Nothing was changed. Put the copy from the setup of the site there.")
    return key
