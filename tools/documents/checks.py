"""The faults of the documents: paths in the text that are not there, links of the built site that lead
nowhere, addresses that are none, and anything that a page would load from another host.

Values in, a list of sentences out; an empty list means that all is well. Nothing is asked of a network.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

_FOLDERS = (
    "adjudicator",
    "bench",
    "demo",
    "docs",
    "galloper",
    "grammar",
    "maps",
    "migrations",
    "ocr",
    "reading",
    "service",
    "templates",
    "tests",
    "tools",
    "training",
    ".github",
)
_PATH = re.compile(rf"`((?:{'|'.join(map(re.escape, _FOLDERS))})/[^`\s]*)`")
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?", re.IGNORECASE)
# Elements that load what they name; `a` only leads to it.
_LOADS = {
    "audio": "src",
    "embed": "src",
    "iframe": "src",
    "img": "src",
    "input": "src",
    "link": "href",
    "object": "data",
    "script": "src",
    "source": "src",
    "track": "src",
    "video": "src",
    "use": "href",
    "image": "href",
}
# A `link` of these relations names an address and loads nothing.
_NAMES_ONLY = {"author", "canonical", "help", "license", "next", "prev", "search", "index", "alternate"}
_STYLE_LOAD = re.compile(r"(?:@import\s+|url\()\s*[\"']?(?P<address>[^\"')\s;]+)")


def missing_paths(text: str, top: Path) -> list[str]:
    """Paths of the repository that a page names in code and that are not there, in the order of the text.

    `<name>`, `NAME` in capitals, `*` and `...` represent any name; `path::test` and `path:line` name a
    place in a file.
    """
    missing = []
    for match in _PATH.finditer(text):
        path = match[1].partition("::")[0].rstrip("/,")
        path = re.sub(r":\d+$", "", path)
        pattern = re.sub(r"<[^>]+>|\b[A-Z]{3,}\b(?!\.md)|\.\.\.|…", "*", path)
        # Tables of tests name them by their path below tests/.
        exists = any(any(folder.glob(pattern)) for folder in (top, top / "tests"))
        if not exists and path not in missing:
            missing.append(path)
    return missing


class _Page(HTMLParser):
    """Anchors, links and loads of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self._in_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name.removeprefix("xlink:"): value or "" for name, value in attrs}
        if "id" in values:
            self.anchors.add(values["id"])
        if tag == "a" and "name" in values:
            self.anchors.add(values["name"])
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        self._in_style = tag == "style"
        self.loads += [match["address"] for match in _STYLE_LOAD.finditer(values.get("style", ""))]
        attribute = _LOADS.get(tag)
        if (
            attribute
            and attribute in values
            and not (tag == "link" and set(values.get("rel", "").split()) <= _NAMES_ONLY)
        ):
            self.loads.append(values[attribute])
        self.loads += [part.split()[0] for part in values.get("srcset", "").split(",") if part.strip()]

    def handle_data(self, data: str) -> None:
        if self._in_style:
            self.loads += [match["address"] for match in _STYLE_LOAD.finditer(data)]


def _read(page: Path) -> _Page:
    parsed = _Page()
    parsed.feed(page.read_text("utf-8"))
    parsed.close()
    return parsed


def site_faults(site: Path) -> list[str]:
    """Every fault of the HTML pages and style sheets below `site`, each with the page it is on."""
    pages = {page.relative_to(site).as_posix(): _read(page) for page in sorted(site.rglob("*.html"))}
    faults = []
    for name, page in pages.items():
        faults += [f"{name}: {fault}" for fault in _link_faults(name, page.links, pages, site)]
        faults += [f"{name}: {fault}" for fault in _load_faults(name, page.loads, site)]
    for style in sorted(site.rglob("*.css")):
        name = style.relative_to(site).as_posix()
        loads = [match["address"] for match in _STYLE_LOAD.finditer(style.read_text("utf-8"))]
        faults += [f"{name}: {fault}" for fault in _load_faults(name, loads, site)]
    return faults


def _link_faults(name: str, links: Iterable[str], pages: dict[str, _Page], site: Path) -> Iterator[str]:
    for link in dict.fromkeys(links):
        if urlsplit(link).scheme:
            if not is_well_formed(link):
                yield f"{link} is not an address"
            continue
        path, _, anchor = link.partition("#")
        target = _target(name, path)
        if not (site / target).is_file():
            yield f"{link} leads nowhere"
        elif anchor and target in pages and unquote(anchor) not in pages[target].anchors:
            yield f"{link}: {target} has no such place"


def _load_faults(name: str, loads: Iterable[str], site: Path) -> Iterator[str]:
    for load in dict.fromkeys(loads):
        parts = urlsplit(load)
        if parts.scheme == "data" or load.startswith("#"):
            continue
        if parts.scheme or parts.netloc:
            yield f"loads {load} from outside"
        elif not (site / _target(name, parts.path)).is_file():
            yield f"loads {load}, which is not there"


def _target(name: str, path: str) -> str:
    """The page that a relative link on page `name` leads to."""
    if not path:
        return name
    parts: list[str] = []
    for part in (PurePosixPath(name).parent / unquote(path.partition("?")[0])).parts:
        if part == ".." and parts:
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def is_well_formed(address: str) -> bool:
    """Whether an address of the web or of mail could be one; it is not visited."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return False
    if parts.scheme == "mailto":
        return bool(re.fullmatch(r"[^@\s]+@[^@\s]+", parts.path))
    host = parts.hostname or ""
    return (
        parts.scheme in {"http", "https"}
        and _HOST.fullmatch(host) is not None
        and ".." not in host
        and (port is None or port > 0)
        and not re.search(r"\s", address)
    )
