"""PNG of every page at two widths, and of every file that leaves, to be looked at: `python -m tools.pictures
OUT [--site DIR] [--only NAME ...]`.

A demo game is played first (some minutes), unless DIR holds one that `galloper demo --fast --keep --dir DIR`
has left; DIR is changed by it. Says on standard error which page is wider than its screen, fails, or has a
fault of its script, and ends with 1 where there is one. Needs the extra `bench`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from bench.desk.browser import NoBrowser, chromium, end_in_order
from bench.desk.site import Server
from service.letters.render import KINDS
from service.public import me
from service.web import sessions
from tools import pictures_paper
from tools.pictures_site import Numbers, play, prepare

WIDTHS = {1280: 800, 390: 844}
"""Width and height of the screen in pixels: a desk's and a telephone's."""
MOST_HIGH = 4000
"""Pixels of a page that are kept: a board's moves or a long log go on in the same way."""

_PATIENCE_MS = 120_000
"""For one page, on a busy machine."""


class Then(StrEnum):
    """What becomes of a sign-in while a form is written: a person signs in anew in another tab, or it
    ends."""

    STAYS = "stays"
    ANEW = "anew"
    ENDS = "ends"


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture: its name, the route of the desk's application, how the page's address is made, the keys
    pressed there. `person` is whether a coordinator is signed in, `player` whether a player is on a visit,
    `fill` what is written into which fields, `do` a selector of a button to press, `then` what becomes of the
    sign-in between writing and pressing, `status` what the server answers."""

    name: str
    route: str
    path: Callable[[Numbers], str]
    keys: tuple[str, ...] = ()
    person: bool = True
    do: str = ""
    status: int = 200
    player: bool = False
    fill: tuple[tuple[str, str], ...] = ()
    then: Then = Then.STAYS


def _at(path: str) -> Callable[[Numbers], str]:
    return lambda numbers: path.format(n=numbers)


_READING, _REHEARSAL = "/desk/{phase_id}", "/rehearsal/{phase_id}"
_REHEARSE = "main form[action^='/rehearsal/'] button"
_REASON = (("main form[action='/health/pause'] [name=why]", "The mail provider asks us to wait until nine."),)
_PAUSE = "main form[action='/health/pause'] button"
SHOTS = (
    Shot("sign-in", "/sign-in", _at("/sign-in"), person=False),
    Shot("sign-in-kept", "", _at("/health"), fill=_REASON, do=_PAUSE, then=Then.ENDS),
    Shot("signed-in-again", "", _at("/health"), fill=_REASON, do=_PAUSE, then=Then.ANEW),
    Shot("today", "/", _at("/")),
    Shot("line", _READING, _at("/desk/{n.to_read}")),
    Shot("line-decided", _READING, _at("/desk/{n.to_read}"), ("Enter", "o", "s")),
    Shot("line-edit", _READING, _at("/desk/{n.to_read}"), ("e", "A", "r")),
    Shot("line-void", _READING, _at("/desk/{n.to_read}"), ("v",)),
    Shot("line-sure", _READING, _at("/desk/{n.to_read}"), ("a",)),
    Shot("line-page", _READING, _at("/desk/{n.to_read}"), ("p",)),
    Shot("line-keys", _READING, _at("/desk/{n.to_read}"), ("?",)),
    Shot("line-all-read", _READING, _at("/desk/{n.done}")),
    Shot("line-sealed", _READING, _at("/desk/{n.sealed}")),
    Shot("line-ready", _READING, _at("/desk/{n.ready}")),
    Shot("line-sent", _READING, _at("/desk/{n.sent}")),
    Shot("sheets", "/sheets/{phase_id}", _at("/sheets/{n.to_read}")),
    Shot("sheets-sealed", "/sheets/{phase_id}", _at("/sheets/{n.sealed}")),
    Shot("sheet", "/sheet/{submission_id}", _at("/sheet/{n.sheet}")),
    Shot("sheet-versions", "/sheet/{submission_id}", _at("/sheet/{n.versions}")),
    Shot("sheet-sealed", "/sheet/{submission_id}", _at("/sheet/{n.sealed_sheet}")),
    Shot("results-ready", "/results/{phase_id}", _at("/results/{n.ready}")),
    Shot("results-sent", "/results/{phase_id}", _at("/results/{n.sent}")),
    Shot("results-sealed", "/results/{phase_id}", _at("/results/{n.sealed}")),
    Shot("results-not-judged", "/results/{phase_id}", _at("/results/{n.to_read}")),
    Shot("correction", "/results/{phase_id}/correct", _at("/results/{n.sent}/correct")),
    Shot("rehearsal", _REHEARSAL, _at("/rehearsal/{n.ready}")),
    Shot("rehearsal-done", _REHEARSAL, _at("/rehearsal/{n.ready}"), do=_REHEARSE),
    Shot("rehearsal-at-desk", _REHEARSAL, _at("/rehearsal/{n.to_read}"), do=_REHEARSE),
    Shot("rehearsal-sealed", _REHEARSAL, _at("/rehearsal/{n.sealed}"), do=_REHEARSE),
    Shot("quarantine", "/quarantine", _at("/quarantine")),
    Shot("quarantine-mail", "/quarantine/{sha256}", _at("/quarantine/{n.mail}")),
    Shot("letters", "/letters", _at("/letters")),
    Shot("letter", "/letters/{letter_id}", _at("/letters/{n.letter}")),
    Shot("post", "/post", _at("/post")),
    Shot("games", "/games", _at("/games")),
    Shot("game", "/games/{game_id}", _at("/games/{n.game}")),
    Shot("game-new", "/games/new", _at("/games/new")),
    Shot("game-new-board", "/games/new", _at("/games/new?variant=w3k")),
    Shot("previews", "/previews/{game_id}", _at("/previews/{n.game}")),
    *(
        Shot(
            f"preview-{kind}",
            "/previews/{game_id}/{kind}",
            _at(f"/previews/{{n.game}}/{kind}?power={{n.power}}"),
        )
        for kind in KINDS
    ),
    Shot("people", "/people", _at("/people")),
    Shot("log", "/log", _at("/log")),
    Shot("health", "/health", _at("/health")),
    Shot("fault", "", _at("/desk/999999"), status=404),
    Shot("calendar", "/public/{game_id}/calendar", _at("/public/{n.game}/calendar"), person=False),
    Shot("public-game", "/public/{game_id}", _at("/public/{n.game}"), person=False),
    Shot("public-map", "/public/{game_id}/map", _at("/public/{n.game}/map"), person=False),
    Shot("lots", "/public/{game_id}/lots", _at("/public/{n.game}/lots"), person=False),
    Shot(
        "public-players",
        "/public/{game_id}/players",
        _at("/public/{n.game}/players"),
        person=False,
        player=True,
    ),
    Shot("public-file", "/public/{game_id}/file", _at("/public/{n.game}/file"), person=False, player=True),
    Shot(
        "public-results",
        "/public/{game_id}/results",
        _at("/public/{n.game}/results"),
        person=False,
        player=True,
    ),
    Shot(
        "public-results-of",
        "/public/{game_id}/results/{number}",
        _at("/public/{n.game}/results/{n.results}"),
        person=False,
        player=True,
    ),
    Shot(
        "ink",
        "/public/{game_id}/results/{number}/{line_id}",
        _at("/public/{n.game}/results/{n.results}/{n.ink}"),
        person=False,
        player=True,
    ),
    Shot("entry-ask", "/public/entry", _at("/public/entry"), person=False),
    Shot("entry-told", "/public/entry", _at("/public/entry?notice=1"), person=False),
    Shot("entry-open", "/public/me/{secret}", _at("/public/me/{n.link}"), person=False),
    Shot("entry", "/public/me", _at("/public/me"), person=False, player=True),
    Shot("entry-stranger", "/public/me", _at("/public/me"), person=False, status=403),
    Shot("left-out", "/public/letter/{token}", _at("/public/letter/{n.left_out}"), person=False),
    Shot("moves", "/public/moves/{slug}", _at("/public/moves/w3k"), person=False),
    Shot("rules", "/public/rules/{slug}", _at("/public/rules/w3k"), person=False),
)


def take(browser: Any, server: Server, numbers: Numbers, out: Path, only: Sequence[str] = ()) -> list[str]:
    """Write `NAME_WIDTH.png` of every page, or of those named; what is wrong with any, as sentences."""
    return [
        (f"{shot.name} at {width} px: "
         f"{fault}") for width in WIDTHS for shot in SHOTS if not only or shot.name in only
        for fault in _one(browser, server.address, numbers, shot, width, out / f"{shot.name}_{width}.png")]


def _one(browser: Any, address: str, numbers: Numbers, shot: Shot, width: int, file: Path) -> list[str]:
    faults: list[str] = []
    context = browser.new_context(viewport={"width": width, "height": WIDTHS[width]})
    if shot.person:
        context.add_cookies([{"name": sessions.COOKIE, "value": numbers.token, "url": address}])
    if shot.player:
        context.add_cookies([{"name": me.COOKIE, "value": numbers.visit, "url": address}])
    context.set_default_timeout(_PATIENCE_MS)
    page = context.new_page()
    page.on("pageerror", lambda error: faults.append(f"its script says {error}"))
    answered = _bring(page, address + shot.path(numbers), shot, numbers.again)
    if answered != shot.status:
        faults.append(f"the server answered {answered}")
    over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    if over > 0:
        faults.append(f"{over} px wider than the screen")
    faults += page.evaluate(_CLIPPED)
    high = min(MOST_HIGH, int(page.evaluate("document.documentElement.scrollHeight")))
    page.screenshot(path=file, full_page=True, clip={"x": 0, "y": 0, "width": width, "height": high})
    context.close()
    return faults


_CLIPPED = """() => [...document.querySelectorAll('main *, header *')].filter((one) => {
  const style = getComputedStyle(one);
  return one.clientWidth && one.tagName !== 'INPUT' && ['hidden', 'clip'].includes(style.overflowX) && one.scrollWidth > one.clientWidth + 1;
}).map((one) => 'cut off: ' + one.tagName + '.' + one.className)"""


def _bring(page: Any, address: str, shot: Shot, anew: str) -> int:
    """The page as it is to be seen: keys pressed, fields filled, a button pressed, pictures there. The status
    of its answer. `anew` is the token of a later sign-in."""
    status = int(page.goto(address).status)
    if shot.keys:
        page.wait_for_selector("html[data-reading]")
        page.wait_for_timeout(300)
    for key in shot.keys:
        page.keyboard.press(key)
        page.wait_for_timeout(150)
    for field, words in shot.fill:
        page.locator(field).evaluate("one => { const box = one.closest('details'); if (box) box.open = "
                                     "true; }")
        page.locator(field).fill(words)
    if shot.then is Then.ENDS:
        page.context.clear_cookies()
    elif shot.then is Then.ANEW:
        page.context.add_cookies([{"name": sessions.COOKIE, "value": anew, "url": address}])
    if shot.do:
        page.locator(shot.do).first.click()
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(200)
    return status


def main(arguments: Sequence[str]) -> int:
    """See the module."""
    parser = argparse.ArgumentParser(prog="python -m tools.pictures", description=("PNG of every page at two "
                                                                                   "widths."))
    parser.add_argument("out", type=Path)
    parser.add_argument("--site", type=Path, help="a folder that galloper demo --fast --keep --dir has left")
    parser.add_argument(
        "--only",
        nargs="+",
        default=[],
        metavar="NAME",
        choices=[shot.name for shot in SHOTS],
        help="only these pages",
    )
    given = parser.parse_args(arguments)
    end_in_order()
    given.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="galloper-pictures-", ignore_cleanup_errors=True) as temporary:
        site = given.site or Path(temporary) / "site"
        if given.site is None:
            play(site)
        settings, numbers = prepare(site)
        files = [] if given.only else pictures_paper.draw(settings, numbers.game, given.out)
        server = Server([sys.executable, "-m", "service.cli.main", "serve", str(site)],
                        f"http://{settings.web.host}:{settings.web.port}")
        try:
            with chromium() as browser:
                server.start()
                faults = take(browser, server, numbers, given.out, given.only)
        except NoBrowser as error:
            print(f"{error}.", file=sys.stderr)
            return 1
        finally:
            server.kill()
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(given.only or SHOTS) * len(WIDTHS) + len(files)} pictures in {given.out}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
