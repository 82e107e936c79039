"""The kind of an attached file without a picture, by its first bytes, else by its type or its name."""

from __future__ import annotations

import re
from collections.abc import Mapping

from service.facts.files import OtherKind

_BEGINNINGS: Mapping[bytes, OtherKind] = {
    b"PK\x03\x04": OtherKind.ARCHIVE, b"PK\x05\x06": OtherKind.EMPTY_ARCHIVE, b"Rar!": OtherKind.ARCHIVE,
    b"7z\xbc\xaf\x27\x1c": OtherKind.ARCHIVE, b"\x1f\x8b": OtherKind.ARCHIVE, b"BZh": OtherKind.ARCHIVE,
    b"\xfd7zXZ": OtherKind.ARCHIVE, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": OtherKind.DOCUMENT,
    b"{\\rtf": OtherKind.DOCUMENT, b"%!PS": OtherKind.DOCUMENT, b"ID3": OtherKind.FILM,
    b"OggS": OtherKind.FILM, b"\x1aE\xdf\xa3": OtherKind.FILM, b"<svg": OtherKind.DRAWING,
    b"\0\0\x01\0": OtherKind.DRAWING,
}
_NAMES: Mapping[OtherKind, str] = {
    OtherKind.ARCHIVE: r"zip|rar|7z|tar|gz|tgz|bz2|xz",
    OtherKind.DOCUMENT: r"docx?|odt|rtf|pages|xlsx?|ods|numbers|pptx?|odp|key|xps|epub|html?|txt|md|csv",
    OtherKind.FILM: r"mov|mp4|m4v|avi|mkv|webm|3gp|mp3|m4a|wav|ogg|opus",
    OtherKind.DRAWING: r"svg|ico|ai|eps|psd|dng|cr2|cr3|nef|arw|raw",
    OtherKind.MAIL: r"eml|msg|mbox|mht",
    OtherKind.LINK: r"url|webloc|lnk|desktop",
}
_BY_NAME = {kind: re.compile(rf"\.(?:{endings})$", re.IGNORECASE) for kind, endings in _NAMES.items()}
_BY_TYPE: Mapping[str, OtherKind] = {
    "audio": OtherKind.FILM, "video": OtherKind.FILM, "text": OtherKind.DOCUMENT, "image": OtherKind.DRAWING}


def other_kind(data: bytes, name: str, declared_type: str) -> OtherKind:
    """The kind of a file without a picture."""
    for beginning, kind in _BEGINNINGS.items():
        if data.startswith(beginning):
            return kind
    if data[4:8] == b"ftyp":
        return OtherKind.FILM
    by_name = next((kind for kind, pattern in _BY_NAME.items() if pattern.search(name)), None)
    return by_name or _BY_TYPE.get(declared_type.partition("/")[0], OtherKind.UNKNOWN)
