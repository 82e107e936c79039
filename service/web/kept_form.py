"""A form that was sent after the sign-in had ended: stored on the sign-in page, shown after the new sign-in,
and sent only once the person presses again. Nothing of it is stored on the server.

The form must carry the token of that person's own former session, so that no other site can fill in a form.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from urllib.parse import quote

from fastapi import Request
from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from service.feature import takes_photographs
from service.store.tables import SessionRow

MAX_CHARACTERS = 200_000
"""Most characters of a form that is stored; no form of this site is longer."""
# Keys, versions and a password: none of them is something that a person needs to copy.
_PAGE_FIELDS = frozenset(
    {"key", "seen", "line", "page", "after", "do", "back", "phase", "password", "one", "kept", "place",
     "code", "answer"}
)
_NAMES = {"why": "reason", "text": "words", "mail": "address", "off": "single keys off"}
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


@dataclass(frozen=True, slots=True)
class KeptForm:
    """A form that was not sent: its address on this site, its fields in order, the names of its file fields
    (a file cannot be stored and must be chosen again), and the former session's token."""

    path: str
    fields: tuple[tuple[str, str], ...]
    files: tuple[str, ...]
    token: str

    @property
    def words(self) -> list[tuple[str, str]]:
        """Label and value of each field that a person filled in, without the fields by which the page finds
        its line."""
        return [
            (_NAMES.get(name, name.replace("_", " ")), value)
            for name, value in self.fields
            if value.strip() and name not in _PAGE_FIELDS
        ]

    def dump(self) -> str:
        """The form as JSON, as the sign-in page carries it."""
        return json.dumps([self.path, self.fields, self.files, self.token], ensure_ascii=False)


async def kept_form(request: Request) -> KeptForm | None:
    """The form of a request that was not carried out; None if it is not a form of a page."""
    if request.method != "POST" or not request.headers.get("content-type", "").startswith(_FORMS):
        return None
    # Of a page behind a secret link there is nothing to keep, and what a stranger sends there stays unread.
    if takes_photographs(request.url.path):
        return None
    try:
        form = await request.form()
    # What could not be read as a form the first time cannot be stored either; RuntimeError: its stream is
    # over.
    except (HTTPException, ClientDisconnect, RuntimeError):
        return None
    fields = [(name, value) for name, value in form.multi_items() if isinstance(value, str)]
    # Without a token of ours the form may come from another site; it is not stored.
    token = next((value for name, value in fields if name == "csrf"), "")
    files = dict.fromkeys(name for name, value in form.multi_items() if isinstance(value, UploadFile))
    submitted = KeptForm(
        request.url.path, tuple(field for field in fields if field[0] != "csrf"), tuple(files), token
    )
    return submitted if token and len(submitted.dump()) <= MAX_CHARACTERS else None


def load(text: str) -> KeptForm | None:
    """The form that a sign-in page carried; None for anything else."""
    if not text or len(text) > MAX_CHARACTERS:
        return None
    try:
        # The text comes back from the browser, so anything may be in it.
        path, fields, files, token = json.loads(text)
        form = KeptForm(
            str(path), tuple((str(name), str(value)) for name, value in fields), tuple(map(str, files)),
            str(token),
        )
    except (ValueError, TypeError, RecursionError):
        return None
    return form if is_local(form.path) else None


def form_owner(session: Session, form: KeptForm) -> str | None:
    """The name of the person whose former session the form comes from; None if it is not a form of this
    site."""
    return session.scalar(select(SessionRow.user).where(SessionRow.csrf == form.token))


def sign_in_address(request: Request) -> str:
    """The address of the sign-in page that leads back to the requested page."""
    place = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    # a picture or a script's question leads nowhere: only a browser that opens a page requests HTML
    leads_back = (
        request.method == "GET"
        and "text/html" in request.headers.get("accept", "")
        and place != "/"
        and is_local(place)
    )
    return f"/sign-in?to={quote(place, safe='')}" if leads_back else "/sign-in"


def is_local(place: str) -> bool:
    """True if an address is a page of this site. Two slashes at the start would name another site's host."""
    # Browsers read "\" as "/", so that "/\evil.example" would lead to another site.
    plain = place.isprintable() and "\\" not in place and " " not in place
    return plain and len(place) <= 500 and place.startswith("/") and not place.startswith(("//", "/sign-"))
