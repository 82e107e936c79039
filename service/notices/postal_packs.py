"""What the post takes to players: the year-end pack for the coordinator, and paper that anybody prints
(OUT-10, POST-07).

Addresses are those of a date: a journey's, home, or both near its ends (LIST-03). Home addresses stand in the
PDF of envelopes alone, which goes to the coordinator.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from sqlalchemy import select
from sqlalchemy.orm import Session

from adjudicator.calendar import Phase
from adjudicator.position import Position
from maps.variant import Variant
from service import pictures
from service.letters import addresses, render
from service.letters.addresses import AddressValidity, Postal
from service.letters.facts import PackFacts, Recipient
from service.mail.compose import Attachment, OutLetter
from service.notices.blank_sheets import blanks
from service.notices.replies import LetterContext
from service.pictures import PaperEnvelope
from service.store import records
from service.store.tables import GameRow, PlayerRow, PostalAddressRow

RETURN = "return_address"
"""The game's option with the coordinator's name and address as lines, printed on envelopes as their return
address."""

BY_HAND = (f"some lines of this address are in letters that no font of this machine has. On the envelope a "
           f"rule stands in their "
           f"place: write them by hand. With the Debian packages {pictures.FONTS} they are printed.")


@dataclass(frozen=True, slots=True)
class Posted:
    """One power's post: who holds it, where they are to be reached on a day, and an accommodation
    (POST-06)."""

    power: str
    player: str
    reach: AddressValidity
    accommodation: str = ""


def post_of(session: Session, game_id: str, day: date) -> list[Posted]:
    """Where every power's player is reached by post on a day, by power id; an empty seat is left out."""
    found = []
    for power, key in sorted(records.seats(session, game_id).items()):
        player = None if key is None else session.get(PlayerRow, key)
        if player is not None:
            found.append(
                Posted(
                    power,
                    player.name,
                    addresses.addresses_on(addresses_of(session, player.id), day),
                    player.accommodation,
                )
            )
    return found


def by_hand(name: str, reach: AddressValidity) -> bool:
    """Whether some line of an envelope is to be written by hand, because no font of this machine has its
    letters."""
    return any(pictures.missing_letters(line) for line in (addresses.name_line(name), *(
        line for address in reach.addresses for line in address.lines)))


def addresses_of(session: Session, player_id: int) -> list[Postal]:
    """A player's postal addresses that stand, in the order they were entered."""
    rows = session.scalars(select(PostalAddressRow).where(
        PostalAddressRow.player_id == player_id,
        PostalAddressRow.ended_at.is_(None)).order_by(PostalAddressRow.id))
    return [Postal(tuple(str(line) for line in row.lines), row.first, row.last) for row in rows]


def envelopes(posted: Sequence[Posted], sender: Sequence[str] = ()) -> list[PaperEnvelope]:
    """One envelope for each address: the real name, the address, and who sends it (POST-01). The power is
    never on it."""
    return [
        PaperEnvelope((addresses.name_line(one.player), *address.lines), tuple(sender))
        for one in posted for address in one.reach.addresses
    ]


@dataclass(frozen=True, slots=True)
class Packs:
    """The writer of year-end packs."""

    desk: LetterContext

    def letter(
        self, session: Session, game: GameRow, phase: Phase, coming: tuple[Phase, Position], results: bytes,
        chart: bytes | None, day: date, *, drawing: bool = True,
    ) -> OutLetter:
        """The pack of a Winter for the coordinator. `coming` is the phase whose blank sheets go along, with
        its position; `results` and `chart` are PDFs; without `drawing` files are only named."""
        variant, info = self.desk.load(game.variant), self.desk.game_info(game)
        posted = post_of(session, game.id, day)
        facts = _facts(variant, posted)
        sender = [str(line) for line in game.options.get(RETURN, ())]
        files = self._files(variant, game, coming, posted, sender, drawing=drawing)
        made = {"results.pdf": results} | ({} if chart is None else {"map.pdf": chart}) | files
        attached = [Attachment(name, "application/pdf", data) for name, data in made.items()]
        return render.postal_pack(info, phase, Recipient(self.desk.sender.coordinator), facts, attached)

    def _files(
        self, variant: Variant, game: GameRow, coming: tuple[Phase, Position], posted: Sequence[Posted],
        sender: Sequence[str], *, drawing: bool,
    ) -> dict[str, bytes]:
        made: dict[str, bytes] = {}
        covers = envelopes(posted, sender)
        if covers:
            made["envelopes.pdf"] = pictures.envelopes_pdf(covers) if drawing else b""
        wanted = [one.power for one in posted if one.reach.addresses]
        if wanted:
            sheets = blanks(variant, game.name, *coming, wanted)
            made["order-sheets.pdf"] = pictures.sheets_pdf(sheets) if drawing else b""
        return made


def _facts(variant: Variant, posted: Sequence[Posted]) -> PackFacts:
    names = {one.power: variant.powers[one.power].name for one in posted}
    notes = [f"{names[one.power]}: {one.reach.note}" for one in posted if one.reach.note]
    notes += [f"{names[one.power]}: {one.accommodation}" for one in posted if one.accommodation]
    notes += [
        f"{names[one.power]}: {BY_HAND}"
        for one in posted
        if one.reach.addresses and by_hand(one.player, one.reach)
    ]
    return PackFacts(
        posted=tuple((names[one.power], len(one.reach.addresses)) for one in posted if one.reach.addresses),
        without=tuple(names[one.power] for one in posted if not one.reach.addresses), notes=tuple(notes))
