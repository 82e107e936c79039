"""What is left at the end: a site that runs its next phase, its pages, an archive that anyone can check."""

from __future__ import annotations

import http.cookiejar
import re
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

from sqlalchemy import select

from demo.checks import Findings
from demo.coordinator import NAME, PASSWORD
from demo.stage import Stage
from demo.turns import open_now
from demo.waiting import meanwhile
from service.archive import export
from service.archive.checker import VerifyReport
from service.archive.verify import check_archive
from service.games.phases import phase_of
from service.public import visits
from service.store import records
from service.store.tables import PhaseRow, PhaseState
from service.version import version

TIMEOUT_SECONDS = 300
"""For one plate, on a busy machine."""


def open_next_phase(stage: Stage, findings: Findings) -> None:
    """Open the phase after the story's last and say until when orders may come."""
    with stage.site.store() as session:
        (game,) = records.games(session)
        waiting = session.scalars(
            select(PhaseRow).where(PhaseRow.game_id == game.id,
                                   PhaseRow.state.in_([PhaseState.WAITING, PhaseState.OPEN]))
            .order_by(PhaseRow.ordinal)
        ).all()
    findings.expect("next phases open", bool(waiting), "no phase is left to be played")
    if not waiting:
        return
    phase = waiting[0]
    title = str(phase_of(phase))
    open_now(stage, phase, title)
    stage.teller.title(f"{title} is open. Orders until {phase.deadline:%A %-d %B %Y, %H:%M} GMT")


def write_archive(stage: Stage, findings: Findings) -> Path:
    """Write the players' archive of the game into the site's folder, checked as `galloper verify` does."""
    site = stage.site
    with site.store() as session:
        (game,) = records.games(session)
    path = stage.root / f"{game.id}.zip"

    def write() -> VerifyReport:
        with site.store() as session, path.open("w+b") as file:
            export.write_archive(session, site.blobs, game.id, export.Edition.PLAYERS, site.clock.now(),
                                 version(), file)
        report = VerifyReport()
        check_archive(path, [], report)
        return report

    report = meanwhile(stage.teller, "writing and checking the archive", write)
    findings.expect("archives that verify", not report.faults,
                    f"the archive does not verify: {' '.join(report.faults)}")
    return path


def pages_of(stage: Stage) -> Mapping[str, str]:
    """The pages that the ending names: label to address."""
    with stage.site.store() as session:
        (game,) = records.games(session)
        sent = session.scalars(select(PhaseRow.id).where(PhaseRow.state == PhaseState.SENT)
                               .order_by(PhaseRow.ordinal)).all()
    return {"map": f"{stage.address}/public/{game.id}/map", "results": f"{stage.address}/results/{sent[-1]}",
            "letters": f"{stage.address}/letters", "desk": f"{stage.address}/"}


def check_pages(stage: Stage, findings: Findings) -> None:
    """Open every page that the ending names."""
    for label, address in pages_of(stage).items():
        path = address.removeprefix(stage.address)
        try:
            page = stage.coordinator.get(path)
        except (urllib.error.URLError, TimeoutError) as error:
            findings.expect("links that answer", False, f"{label}: {address} does not answer ({error})")
            continue
        findings.expect("links that answer", 'name="password"' not in page,
                        f"{label}: {address} asks to sign in")


def open_replay(stage: Stage, findings: Findings) -> None:
    """Open the war's plates as a player does, with a link of their own, and check that each plate is there;
    or show why there are none."""
    browser, address = _player_browser(stage), _war_of(stage)
    with browser.open(address, timeout=TIMEOUT_SECONDS) as answer:
        plates = re.findall(r'src="([^"]+/war/\d+[.]svg)"', answer.read().decode())
    may = bool(stage.story.options.get("units_on_map", False))
    findings.expect("replays of a year", bool(plates) == may,
                    f"{address} has {len(plates)} plates, and the game's rules demand {may}")
    for plate in plates:
        with browser.open(stage.address + plate, timeout=TIMEOUT_SECONDS) as answer:
            findings.expect("plates of the war", b"<svg" in answer.read(200), f"{plate} is not a picture")


def _player_browser(stage: Stage) -> urllib.request.OpenerDirector:
    """A browser on a visit of the first player."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
    browser.addheaders.append(("Origin", stage.address))
    browser.open(_link(stage), data=b"", timeout=TIMEOUT_SECONDS).close()
    return browser


def _link(stage: Stage) -> str:
    """A link of the first player's own, as the site mails it on request."""
    with stage.site.store.begin() as session:
        (game,) = records.games(session)
        player = next(player for _, player in sorted(records.seats(session, game.id).items())
                      if player is not None)
        return f"{stage.address}/public/me/{visits.new_link(session, player, stage.clock.now())}"


def _war_of(stage: Stage) -> str:
    with stage.site.store() as session:
        (game,) = records.games(session)
    return f"{stage.address}/public/{game.id}/war"


def show_replay(stage: Stage) -> None:
    """How to watch the year again, or when that will be."""
    teller = stage.teller
    if stage.story.options.get("units_on_map", False):
        teller.say("Watch the year again, phase by phase on the map, as its players may: open a player's own "
                   "link and press its button, then open the replay.")
        teller.link("the link", _link(stage))
        teller.link("replay", _war_of(stage))
    else:
        teller.say("In this game players keep their own maps, so the war is shown again, phase by phase on "
                   "the map, only once it is over.")


def show_ending(stage: Stage, archive: Path, *, stays: bool, deleted: bool) -> None:
    """Say what is there to look at, and how to begin a site of one's own. `stays`: the site runs on;
    `deleted`: its folder goes when the program ends."""
    teller = stage.teller
    program = program_name()
    if stays:
        teller.say("The site runs on. Look around:")
        for label, address in pages_of(stage).items():
            teller.link(label, address)
        teller.link("sign in as", f"{NAME}, password {PASSWORD} (for all but the map)")
        teller.link("mails sent", str(stage.root / "outbox"))
        show_replay(stage)
    teller.say("The game's archive holds everything that the players may know. Anyone can check it "
               "without this site:")
    teller.say(f"{program} verify {archive}", indent=4)
    if deleted:
        teller.say("(This site is temporary and is deleted now; with --keep it stays.)")
    teller.say("A site of your own begins with:")
    teller.say(f"{program} setup ~/galloper-site", indent=4)


def program_name() -> str:
    """The program as it was typed, for lines that a visitor copies."""
    typed = Path(sys.argv[0])
    return sys.argv[0] if typed.name == "galloper" else "galloper"


def stay(stage: Stage) -> None:
    """Let the clock run until Ctrl-C. Raises MailServerError if the mail server ends before."""
    stage.teller.say()
    try:
        # Who reads the line may press at once.
        stage.teller.say("The site runs until you press Ctrl-C.")
        while True:
            time.sleep(1)
            stage.clock.advance(timedelta(seconds=1))
            stage.server.check()
    except KeyboardInterrupt:
        return
