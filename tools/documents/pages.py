"""Pages of the repository as pages of the site: links are led to where their target is there.

Values in, values out.
"""

from __future__ import annotations

import re
from os.path import relpath
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

DOCS = "docs"
TOP_PAGES = ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
"""Pages at the top of the repository that the site has too."""
FOLDER_PAGES = {
    "docs/games": "reference/games.md",
    "docs/rulings": "explanation/rulings.md",
    "docs/adr": "explanation/decisions.md",
}
"""Folders that a forge lists, and the page of the site that lists them."""

_CODE = re.compile(r"(?s)(^```.*?^```|`[^`\n]*`)", re.MULTILINE)
_LINK = re.compile(r"(?P<text>!?\[[^\]]*\])\((?P<target>[^)\s]+)\)")


def place_links(text: str, page: PurePosixPath, top: Path) -> str:
    """The text of a page with each link to a file of the repository led to its place on the site.

    `page` is its path in the repository, `top` the repository. A link to a file that the site does not have
    becomes its text and its path; one to a file that there is not stays as it is, for Sphinx to report.
    """
    here = site_path(page)
    assert here is not None

    def placed(match: re.Match[str]) -> str:
        target, _, anchor = match["target"].partition("#")
        if not target or "://" in target or target.startswith("mailto:"):
            return match[0]
        in_repository = PurePosixPath(relpath((top / page.parent / unquote(target)).resolve(), top.resolve()))
        place = site_path(in_repository)
        if place is not None:
            return f"{match['text']}({relpath(place, here.parent)}{'#' + anchor if anchor else ''})"
        if match["text"].startswith("!") or not (top / in_repository).exists():
            return match[0]
        words = match["text"][1:-1]
        return (
            f"`{in_repository}`" if words.strip("`") == str(in_repository) else f"{words} (`{in_repository}`)"
        )

    return "".join(
        part if number % 2 else _LINK.sub(placed, part) for number, part in enumerate(_split(text))
    )


def _split(text: str) -> list[str]:
    """Text and code by turns. A link whose words are code is text."""
    parts = [""]
    position = 0
    for match in _CODE.finditer(text):
        linked = (
            text[match.start() - 1 : match.start()] == "[" and text[match.end() : match.end() + 2] == "]("
        )
        parts[-1] += text[position : match.start()]
        position = match.end()
        if linked:
            parts[-1] += match[0]
        else:
            parts += [match[0], ""]
    parts[-1] += text[position:]
    return parts


def site_path(path: PurePosixPath) -> PurePosixPath | None:
    """Where a file of the repository is on the site; None for one that the site does not have."""
    if str(path) in TOP_PAGES:
        return path
    if str(path) in FOLDER_PAGES:
        return PurePosixPath(FOLDER_PAGES[str(path)])
    if path.parts[:1] == (DOCS,) and path.suffix:
        return path.relative_to(DOCS)
    return None
