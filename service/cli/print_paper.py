"""`galloper game paper`: the order sheets, envelopes and labels of a game, as PDF files in a folder (POST-07,
LIST-05)."""

from __future__ import annotations

import secrets
from datetime import date
from pathlib import Path
from typing import TextIO

import maps
from adjudicator.serialize import codec
from service import pictures
from service.cli.program.results import print_result
from service.clock import SystemClock
from service.config import ConfigError
from service.games.names import game_called
from service.games.options import options_of
from service.games.phases import phase_of
from service.notices.order_sheets import SheetReader, blanks, nonce_of
from service.notices.postal_packs import BY_HAND, by_hand, envelopes, post_of
from service.site_folder import opened, settings_of
from service.store import records
from service.store.tables import PhaseState


def write_paper(
    folder: Path, game: str, output: Path, day: str, out: TextIO, *, names_units: bool = False,
    as_json: bool = False, quiet: bool = False
) -> int:
    """Write blank order sheets of every power for the phase in play, and envelopes and labels to every player
    on a `day` ("" for today), into `output`. The envelopes carry home addresses. `names_units`: each sheet
    names its own power's units under the rules. Raises ConfigError for an unknown game or a day that is not
    a date."""
    try:
        when = date.fromisoformat(day) if day else SystemClock().now().date()
    except ValueError as fault:
        raise ConfigError(f"--day {day} is not a day; write it like 2027-03-14. Nothing was "
                          "written.") from fault
    settings = settings_of(folder)
    reader, nonce = SheetReader(address=settings.order_address), nonce_of(secrets.token_bytes(5))
    with opened(settings) as store, store() as session:
        row = game_called(session, game)
        game = row.id
        variant = maps.load(row.variant)
        posted = post_of(session, game, when)
        covers = envelopes(posted, options_of(row).return_address)
        phases = [
            p for p in records.phases(session, game) if p.state in {PhaseState.OPEN, PhaseState.WAITING}
        ]
        position = codec.load_position(phases[0].position) if phases and phases[0].position else None
        sheets = (
            blanks(variant, row.id, row.name, phase_of(phases[0]), position,
                   sorted(records.seats(session, game)), reader, deadline=phases[0].deadline, nonce=nonce,
                   names_units=names_units)
            if phases
            else []
        )
        # No font has some letters of these addresses, so their lines are left as rules to write on.
        strange = [
            variant.powers[recipient.power].name
            for recipient in posted
            if recipient.reach.addresses and by_hand(recipient.player, recipient.reach)
        ]
    output.mkdir(parents=True, exist_ok=True)
    files = {}
    if sheets:
        files["order-sheets.pdf"] = pictures.sheets_pdf(sheets)
    if covers:
        files |= {"envelopes.pdf": pictures.envelopes_pdf(covers), "labels.pdf": pictures.labels_pdf(covers)}
    for name, data in files.items():
        (output / name).write_bytes(data)
    lines = [str(output / name) for name in files] + [f"{power}: {BY_HAND}" for power in strange]
    if not covers:
        lines.append("No player of this game has a postal address, so there are no envelopes.")
    print_result(
        out, "\n".join(lines),
        {"game": game, "files": [str(output / name) for name in files], "envelopes": len(covers),
         "by_hand": strange}, as_json=as_json, quiet=quiet)
    return 0
