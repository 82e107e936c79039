"""PNG of every page at three widths, and of every file that is mailed or printed, to look at.

    python -m tools.pictures OUT [--site DIR] [--only NAME ...]

First it plays a demo game (some minutes), unless DIR holds one that `galloper demo --fast --keep --dir DIR`
left; DIR is changed. It names on standard error each page that fails, has an error in its script, or has a
fault of `tools.pictures_checks`, and exits with 1 if there is one. Needs the extra `bench`.
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

from bench.desk.browser import NoBrowser, chromium, exit_on_sigterm
from bench.desk.site import Server
from service.bootstrap import letter_kinds
from service.public import visits
from service.web import sessions
from tools import pictures_paper
from tools.pictures_checks import access_faults, fit_faults, keyboard_faults
from tools.pictures_site import Numbers, play, prepare, speak_german

# Width and height of the screen in pixels: a desk's, a tablet's and a telephone's.
WIDTHS = {1280: 800, 768: 1024, 360: 780}
NARROWEST = min(WIDTHS)
# Pixels of a page in one picture, and the most pictures of one page: a board's moves or a long log go on in
# the same way.
MAX_HEIGHT, MOST_PARTS = 4000, 4

_TIMEOUT_MS = 120_000  # for one page, on a busy machine


class SignIn(StrEnum):
    """What happens to a sign-in while a form is filled in: the person signs in again in another tab, or it
    ends."""

    STAYS = "stays"
    REPEATED = "repeated"
    ENDS = "ends"


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture: its name, the route of the desk's application ("" for another picture of a page), how the
    page's address is made, the keys pressed there.

    `coordinator`: a coordinator is signed in. `player`: a player is on a visit. `fill`: pairs of a field's
    selector and its text. `press`: the selector of a button. `sign_in`: what happens to the sign-in between
    filling in and pressing. `status`: what the server answers.
    """

    name: str
    route: str
    path: Callable[[Numbers], str]
    keys: tuple[str, ...] = ()
    coordinator: bool = True
    press: str = ""
    status: int = 200
    player: bool = False
    fill: tuple[tuple[str, str], ...] = ()
    sign_in: SignIn = SignIn.STAYS


def _path(path: str) -> Callable[[Numbers], str]:
    return lambda numbers: path.format(n=numbers)


_READING, _REHEARSAL = "/desk/{phase_id}", "/rehearsal/{phase_id}"
_REHEARSE = "main form[action^='/rehearsal/'] button"
_REASON = (("main form[action='/health/pause'] [name=why]", "The mail provider asks us to wait until nine."),)
_PAUSE = "main form[action='/health/pause'] button"
SHOTS = (
    Shot("sign-in", "/sign-in", _path("/sign-in"), coordinator=False),
    Shot("sign-in-kept", "", _path("/health"), fill=_REASON, press=_PAUSE, sign_in=SignIn.ENDS),
    Shot("signed-in-again", "", _path("/health"), fill=_REASON, press=_PAUSE, sign_in=SignIn.REPEATED),
    Shot("inbox", "/", _path("/")),
    Shot("line", _READING, _path("/desk/{n.to_read}")),
    Shot("line-decided", _READING, _path("/desk/{n.to_read}"), ("Enter", "o", "s")),
    Shot("line-edit", _READING, _path("/desk/{n.to_read}"), ("e", "A", "r")),
    Shot("line-void", _READING, _path("/desk/{n.to_read}"), ("v",)),
    Shot("line-sure", _READING, _path("/desk/{n.to_read}"), ("a",)),
    Shot("line-page", _READING, _path("/desk/{n.to_read}"), ("p",)),
    Shot("line-keys", _READING, _path("/desk/{n.to_read}"), ("?",)),
    Shot("line-all-read", _READING, _path("/desk/{n.all_read}")),
    Shot("line-sealed", _READING, _path("/desk/{n.sealed}")),
    Shot("line-ready", _READING, _path("/desk/{n.ready}")),
    Shot("line-sent", _READING, _path("/desk/{n.sent}")),
    Shot("sheets", "/sheets/{phase_id}", _path("/sheets/{n.to_read}")),
    Shot("sheets-sealed", "/sheets/{phase_id}", _path("/sheets/{n.sealed}")),
    Shot("sheet", "/sheet/{submission_id}", _path("/sheet/{n.sheet}")),
    Shot("sheet-versions", "/sheet/{submission_id}", _path("/sheet/{n.versions}")),
    Shot("sheet-sealed", "/sheet/{submission_id}", _path("/sheet/{n.sealed_sheet}")),
    Shot("proof", "/proof/{phase_id}", _path("/proof/{n.ready}")),
    Shot("proof-sent", "/proof/{phase_id}", _path("/proof/{n.sent}")),
    Shot("results-ready", "/results/{phase_id}", _path("/results/{n.ready}")),
    Shot("results-sent", "/results/{phase_id}", _path("/results/{n.sent}")),
    Shot("results-sealed", "/results/{phase_id}", _path("/results/{n.sealed}")),
    Shot("results-not-judged", "/results/{phase_id}", _path("/results/{n.to_read}")),
    Shot("correction", "/results/{phase_id}/correct", _path("/results/{n.sent}/correct")),
    Shot("rehearsal", _REHEARSAL, _path("/rehearsal/{n.ready}")),
    Shot("rehearsal-done", _REHEARSAL, _path("/rehearsal/{n.ready}"), press=_REHEARSE),
    Shot("rehearsal-at-desk", _REHEARSAL, _path("/rehearsal/{n.to_read}"), press=_REHEARSE),
    Shot("rehearsal-sealed", _REHEARSAL, _path("/rehearsal/{n.sealed}"), press=_REHEARSE),
    Shot("inbox-mails", "/", _path("/?show=mails")),
    Shot("inbox-ignored", "/", _path("/?show=ignored")),
    Shot("quarantine-mail", "/quarantine/{sha256}", _path("/quarantine/{n.mail}")),
    Shot("inbox-letters", "/", _path("/?show=letters")),
    Shot("correspondence-thread", "/correspondence/{player_id}", _path("/correspondence/{n.writer}")),
    Shot("letters", "/letters", _path("/letters")),
    Shot("letter", "/letters/{letter_id}", _path("/letters/{n.letter}")),
    Shot("post", "/post", _path("/post")),
    Shot("games", "/games", _path("/games")),
    Shot("boards", "/boards", _path("/boards")),
    Shot("board", "/boards/{slug}", _path("/boards/standard")),
    Shot("deadlines", "/deadlines", _path("/deadlines")),
    Shot("game", "/games/{game_id}", _path("/games/{n.game}")),
    Shot("game-new", "/games/new", _path("/games/new")),
    Shot("game-new-board", "/games/new", _path("/games/new?variant=w3k")),
    Shot("previews", "/previews/{game_id}", _path("/previews/{n.game}")),
    Shot("own-wording", "/previews/{game_id}/{kind}/wording",
         _path("/previews/{n.game}/final_results/wording")),
    *(
        Shot(f"preview-{kind.name}", "/previews/{game_id}/{kind}",
             _path(f"/previews/{{n.game}}/{kind.name}?power={{n.power}}"))
        for kind in letter_kinds().by_name.values() if kind.occasion is not None
    ),
    Shot("account", "/account", _path("/account")),
    Shot("people", "/people", _path("/people")),
    Shot("hands", "/hands", _path("/hands")),
    Shot("log", "/log", _path("/log")),
    Shot("log-found", "/log", _path("/log?q=army")),
    Shot("health", "/health", _path("/health")),
    Shot("fault", "", _path("/desk/999999"), status=404),
    Shot("fault-public", "", _path("/public/nowhere"), coordinator=False, status=404),
    Shot("calendar", "/public/{game_id}/calendar", _path("/public/{n.game}/calendar"), coordinator=False),
    Shot("public-game", "/public/{game_id}", _path("/public/{n.game}"), coordinator=False),
    Shot("public-map", "/public/{game_id}/map", _path("/public/{n.game}/map"), coordinator=False),
    Shot("lots", "/public/{game_id}/lots", _path("/public/{n.game}/lots"), coordinator=False),
    Shot("public-players", "/public/{game_id}/players", _path("/public/{n.game}/players"),
         coordinator=False, player=True),
    Shot("public-file", "/public/{game_id}/file", _path("/public/{n.game}/file"),
         coordinator=False, player=True),
    Shot("public-results", "/public/{game_id}/results/{number}",
         _path("/public/{n.game}/results/{n.results}"), coordinator=False, player=True),
    Shot("ink", "/public/{game_id}/results/{number}/{line_id}",
         _path("/public/{n.game}/results/{n.results}/{n.order_line}"), coordinator=False, player=True),
    Shot("gazettes", "/public/{game_id}/gazette", _path("/public/{n.ended}/gazette"),
         coordinator=False, player=True),
    Shot("gazette", "/public/{game_id}/gazette/{number}", _path("/public/{n.ended}/gazette/1"),
         coordinator=False, player=True),
    Shot("ending", "/public/{game_id}/end", _path("/public/{n.ended}/end"), coordinator=False, player=True),
    Shot("ending-phase", "/public/{game_id}/end/{number}", _path("/public/{n.ended}/end/{n.ended_phase}"),
         coordinator=False, player=True),
    Shot("otherwise", "/public/{game_id}/end/{number}/otherwise/{index}",
         _path("/public/{n.ended}/end/{n.ended_phase}/otherwise/0"), coordinator=False, player=True),
    Shot("war", "/public/{game_id}/war", _path("/public/{n.ended}/war"), coordinator=False, player=True),
    Shot("entry-ask", "/public/entry", _path("/public/entry"), coordinator=False),
    Shot("entry-told", "/public/entry", _path("/public/entry?notice=1"), coordinator=False),
    Shot("entry-open", "/public/me/{secret}", _path("/public/me/{n.link}"), coordinator=False),
    Shot("entry", "/public/me", _path("/public/me"), coordinator=False, player=True),
    Shot("entry-stranger", "/public/me", _path("/public/me"), coordinator=False, status=403),
    Shot("upload", "/public/send/{secret}", _path("/public/send/{n.upload}"), coordinator=False),
    Shot("sign-ups", "/public/sign-up", _path("/public/sign-up"), coordinator=False),
    Shot("sign-up", "/public/sign-up/{offer_id}", _path("/public/sign-up/naseby"), coordinator=False),
    Shot("sign-up-own", "/public/sign-up/{offer_id}/{secret}", _path("/public/sign-up/naseby/{n.place}"),
         coordinator=False),
    Shot("sign-up-lots", "/public/sign-up/{offer_id}/lots", _path("/public/sign-up/naseby/lots"),
         coordinator=False),
    Shot("new-games", "/new-games", _path("/new-games")),
    Shot("left-out", "/public/letter/{token}", _path("/public/letter/{n.left_out}"), coordinator=False),
    Shot("moves", "/public/moves/{slug}", _path("/public/moves/w3k"), coordinator=False),
    Shot("roots", "/public/{game_id}/roots", _path("/public/{n.game}/roots"), coordinator=False),
    Shot("check", "/public/check", _path("/public/check"), coordinator=False),
    Shot("rules", "/public/rules/{slug}", _path("/public/rules/w3k"), coordinator=False),
)


def take(browser: Any, server: Server, numbers: Numbers, out: Path, only: Sequence[str] = ()) -> list[str]:
    """Write `NAME_WIDTH.png` of every page, or of those named, and of a long one `NAME_WIDTH-2.png` and so
    on; sentences about what is wrong with any."""
    faults = []
    shots = [shot for shot in SHOTS if not only or shot.name in only]
    for width in WIDTHS:
        for shot in shots:
            file = out / f"{shot.name}_{width}.png"
            sentences = _take_one(browser, server.address, numbers, shot, width, file)
            faults += [f"{shot.name} at {width} px: {sentence}" for sentence in sentences]
    return faults


def take_in_german(
    browser: Any, server: Server, numbers: Numbers, out: Path, only: Sequence[str] = ()
) -> list[str]:
    """As `take`, of the pages for players on a telephone, in German: its words are the longest."""
    faults = []
    for shot in SHOTS:
        if not shot.coordinator and (not only or shot.name in only):
            file = out / f"{shot.name}-de_{NARROWEST}.png"
            sentences = _take_one(browser, server.address, numbers, shot, NARROWEST, file, "de-DE")
            faults += [f"{shot.name} in German: {sentence}" for sentence in sentences]
    return faults


def _take_one(browser: Any, address: str, numbers: Numbers, shot: Shot, width: int, file: Path,
              locale: str = "en-GB") -> list[str]:
    faults: list[str] = []
    context = browser.new_context(viewport={"width": width, "height": WIDTHS[width]}, locale=locale)
    if shot.coordinator:
        context.add_cookies([{"name": sessions.COOKIE, "value": numbers.token, "url": address}])
    if shot.player:
        context.add_cookies([{"name": visits.COOKIE, "value": numbers.visit, "url": address}])
    context.set_default_timeout(_TIMEOUT_MS)
    page = context.new_page()
    page.on("pageerror", lambda error: faults.append(f"its script says {error}"))
    status = _open_page(page, address + shot.path(numbers), shot, numbers.second_token)
    if status != shot.status:
        faults.append(f"the server answered {status}")
    faults += fit_faults(page)
    height = int(page.evaluate("document.documentElement.scrollHeight"))
    for part, top in enumerate(range(0, min(height, MAX_HEIGHT * MOST_PARTS), MAX_HEIGHT), start=1):
        clip = {"x": 0, "y": top, "width": width, "height": min(MAX_HEIGHT, height - top)}
        name = file if part == 1 else file.with_stem(f"{file.stem}-{part}")
        page.screenshot(path=name, full_page=True, clip=clip)
    # Where Tab leads and what colours are do not change with the width.
    is_first = width == next(iter(WIDTHS))
    if is_first and not shot.keys:
        faults += keyboard_faults(page)
    faults += access_faults(page, every_scheme=is_first)
    context.close()
    return faults


def _open_page(page: Any, address: str, shot: Shot, second_token: str) -> int:
    """Open a page, press its keys, fill in its fields, press its button, wait for its pictures; the status of
    the server's answer. `second_token` is of a later sign-in."""
    status = int(page.goto(address).status)
    if shot.keys:
        page.wait_for_selector("html[data-reading]")
        page.wait_for_timeout(300)
    for key in shot.keys:
        page.keyboard.press(key)
        page.wait_for_timeout(150)
    for field, words in shot.fill:
        # A field may be folded away in a `details` element, where it cannot be filled in.
        unfold = "element => { const box = element.closest('details'); if (box) box.open = true; }"
        page.locator(field).evaluate(unfold)
        page.locator(field).fill(words)
    if shot.sign_in is SignIn.ENDS:
        # A sign-in that ran out while a person wrote: the server then keeps the form on the sign-in page.
        page.context.clear_cookies()
    elif shot.sign_in is SignIn.REPEATED:
        page.context.add_cookies([{"name": sessions.COOKIE, "value": second_token, "url": address}])
    if shot.press:
        page.locator(shot.press).first.click()
    # A picture far down is fetched only once a person scrolls to it.
    page.evaluate("for (const img of document.querySelectorAll('img[loading=lazy]')) img.loading = 'eager'")
    page.wait_for_load_state("networkidle")
    # Pictures of a page are drawn a moment after their bytes have come.
    page.wait_for_timeout(200)
    return status


def main(arguments: Sequence[str]) -> int:
    """See the module."""
    summary = "PNG of every page at three widths."
    parser = argparse.ArgumentParser(prog="python -m tools.pictures", description=summary)
    parser.add_argument("out", type=Path)
    parser.add_argument("--site", type=Path, help="a folder that galloper demo --fast --keep --dir left")
    parser.add_argument(
        "--only",
        nargs="+",
        default=[],
        metavar="NAME",
        choices=[shot.name for shot in SHOTS],
        help="only these pages",
    )
    args = parser.parse_args(arguments)
    exit_on_sigterm()
    args.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="galloper-pictures-", ignore_cleanup_errors=True) as temporary:
        site = args.site or Path(temporary) / "site"
        if args.site is None:
            play(site)
        settings, numbers = prepare(site)
        files = [] if args.only else pictures_paper.draw(settings, numbers.game, args.out)
        server = Server([sys.executable, "-m", "service.cli.main", "serve", str(site)],
                        f"http://{settings.web.host}:{settings.web.port}")
        try:
            with chromium() as browser:
                server.start()
                faults = take(browser, server, numbers, args.out, args.only)
                speak_german(settings)
                faults += take_in_german(browser, server, numbers, args.out, args.only)
        except NoBrowser as error:
            print(f"{error}.", file=sys.stderr)
            return 1
        finally:
            server.kill()
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(args.only or SHOTS) * len(WIDTHS) + len(files)} pictures in {args.out}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
