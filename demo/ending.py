"""What is left at the end: a site that runs its next phase, its pages, an archive that anyone can check."""

from __future__ import annotations

import io
import sys
import time
import urllib.error
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
from service.archive.verify import run_verify
from service.games.phases import phase_of
from service.store import records
from service.store.tables import PhaseRow, PhaseState
from service.version import version


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

    def write() -> int:
        with site.store() as session, path.open("w+b") as file:
            export.write_archive(session, site.blobs, game.id, export.Edition.PLAYERS, site.clock.now(),
                                 version(), file)
        return run_verify(path, [], output)

    output = io.StringIO()
    code = meanwhile(stage.teller, "writing and checking the archive", write)
    findings.expect("archives that verify", code == 0, f"the archive does not verify: {output.getvalue()}")
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
    teller.say("The game's archive holds everything that the players may know. Anyone can check it "
               "without this site:")
    teller.say(f"{program} verify {archive}", indent=4)
    if deleted:
        teller.say("(This site is temporary and is deleted now; with --keep it stays.)")
    teller.say("A site of your own begins with:")
    teller.say(f"{program} init ~/galloper-site", indent=4)


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
