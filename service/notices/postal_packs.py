"""Letters by post: the year-end pack for the coordinator, and sheets that anybody prints (OUT-10, POST-07).

Addresses are those of a date: a journey's, home, or both near the journey's ends (LIST-03). Home addresses
are only in the PDF of envelopes, which goes to the coordinator.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from sqlalchemy import select
from sqlalchemy.orm import Session

from adjudicator.calendar import Phase
from adjudicator.position import Position
from maps.variant import Variant
from service import pictures
from service.facts.events import Event
from service.games.acts.act import Act, ActTable, LoggedEvent
from service.games.acts.seats import holder_of
from service.games.options import options_of, with_options
from service.letters import addresses, render
from service.letters.addresses import AddressValidity, Postal
from service.letters.facts import LetterFacts, Recipient
from service.letters.kinds import LetterKind, Occasion, Sample
from service.mail.sending.compose import Addressee, Attachment, OutLetter, Rank
from service.notices.letter_context import LetterContext
from service.notices.order_sheets import SheetReader, blanks
from service.notices.previews import Previews
from service.pictures import PaperEnvelope
from service.store import records
from service.store.tables import GameRow, PlayerRow, PostalAddressRow

BY_HAND = ("some lines of this address have characters that no font of this machine has. The envelope has a "
           "blank line in their place: write them by hand. To print them, install the Debian packages "
           f"{pictures.SCRIPT_PACKAGES}.")



@dataclass(frozen=True, slots=True)
class SetReturnAddress(Act[None]):
    """Sets the coordinator's name and address for the envelopes of the year-end pack; no lines for none."""

    game: str
    lines: tuple[str, ...]

    def change(self, table: ActTable) -> None:
        """Keep them with the game."""
        game = table.game(self.game)
        game.options = with_options(game, return_address=self.lines)

    def event(self, table: ActTable, outcome: None, letters: int) -> LoggedEvent:
        """That it was changed, and not to what."""
        return LoggedEvent(Event.RETURN_ADDRESS_CHANGED, self.game)


@dataclass(frozen=True, slots=True)
class SetAccommodation(Act[None]):
    """Sets an agreed exception for one player, shown in the list of players and in the pack (POST-06); no
    words for none."""

    game: str
    power: str
    words: str

    def check(self, table: ActTable) -> None:
        """Refuse an empty seat."""
        holder_of(table, self.game, self.power)

    def change(self, table: ActTable) -> None:
        """Keep it with the player."""
        player = table.session.get_one(PlayerRow, holder_of(table, self.game, self.power))
        player.accommodation = self.words

    def event(self, table: ActTable, outcome: None, letters: int) -> LoggedEvent:
        """The power, and whether something was agreed."""
        # That something was agreed is logged, not what: it may name a place or a person (LIST-05).
        return LoggedEvent(
            Event.ACCOMMODATION_CHANGED, self.game, {"power": self.power, "agreed": bool(self.words)})


@dataclass(frozen=True, slots=True)
class PackFacts(LetterFacts):
    """The pack that the coordinator prints and posts at the end of a year (OUT-10). `posted` are powers with
    the number of their envelopes, `without` those without a known postal address, `notes` sentences about
    journeys and accommodations (LIST-03, POST-06), without any address."""

    # Counts instead of addresses: home addresses are in the PDF of envelopes alone (POST-07).
    posted: tuple[tuple[str, int], ...]
    without: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlayerPost:
    """The post to one power: its player, where to reach them on a day, and an accommodation (POST-06)."""

    power: str
    player: str
    reach: AddressValidity
    accommodation: str = ""


def post_of(session: Session, game_id: str, day: date) -> list[PlayerPost]:
    """Where to reach every power's player by post on a day, in the order of power ids; empty seats are left
    out."""
    posted = []
    for power, key in sorted(records.seats(session, game_id).items()):
        player = None if key is None else session.get(PlayerRow, key)
        if player is not None:
            reach = addresses.addresses_on(addresses_of(session, player.id), day)
            posted.append(PlayerPost(power, player.name, reach, player.accommodation))
    return posted


def by_hand(name: str, reach: AddressValidity) -> bool:
    """Whether some line of an envelope must be written by hand, because no font of this machine has its
    letters."""
    return any(pictures.missing_letters(line) for line in (addresses.name_line(name), *(
        line for address in reach.addresses for line in address.lines)))


def addresses_of(session: Session, player_id: int) -> list[Postal]:
    """A player's postal addresses that have not been ended, in the order they were entered."""
    rows = session.scalars(select(PostalAddressRow).where(
        PostalAddressRow.player_id == player_id,
        PostalAddressRow.ended_at.is_(None)).order_by(PostalAddressRow.id))
    return [Postal(tuple(str(line) for line in row.lines), row.first, row.last) for row in rows]


def envelopes(posted: Sequence[PlayerPost], sender: Sequence[str] = ()) -> list[PaperEnvelope]:
    """One envelope for each address: the real name, the address, and the sender (POST-01)."""
    # POST-01: nothing about the game is on an envelope, so the power never is.
    return [
        PaperEnvelope((addresses.name_line(post.player), *address.lines), tuple(sender))
        for post in posted for address in post.reach.addresses
    ]


@dataclass(frozen=True, slots=True)
class Packs:
    """The writer of year-end packs."""

    letters: LetterContext

    def letter(
        self, session: Session, game: GameRow, phase: Phase, coming: tuple[Phase, Position],
        printed: Mapping[str, bytes], day: date, *, drawing: bool = True,
    ) -> OutLetter:
        """The pack of a Winter for the coordinator. `coming` is the phase of the blank sheets, with its
        position; `printed` are the PDFs of the results by name; `day` is when the pack is posted. Without
        `drawing` files are only named."""
        variant, info = self.letters.load(game.variant), self.letters.game_info(game)
        posted = post_of(session, game.id, day)
        facts = _facts(variant, posted)
        sender = options_of(game).return_address
        files = self._files(variant, game, coming, posted, sender, drawing=drawing)
        pdfs = {**printed, **files}
        attached = [Attachment(name, "application/pdf", data) for name, data in pdfs.items()]
        to = Recipient(self.letters.sender.coordinator)
        return render.letter(POSTAL_PACK, info, to, facts, phase=phase, attached=attached)

    def _files(
        self, variant: Variant, game: GameRow, coming: tuple[Phase, Position], posted: Sequence[PlayerPost],
        sender: Sequence[str], *, drawing: bool,
    ) -> dict[str, bytes]:
        pdfs: dict[str, bytes] = {}
        covers = envelopes(posted, sender)
        if covers:
            pdfs["envelopes.pdf"] = pictures.envelopes_pdf(covers) if drawing else b""
        reachable = [post.power for post in posted if post.reach.addresses]
        # A blank sheet goes only into an envelope; without an address there is none.
        if reachable:
            reader = SheetReader(address=self.letters.sender.order_address)
            sheets = blanks(variant, game.id, game.name, *coming, reachable, reader)
            pdfs["order-sheets.pdf"] = pictures.sheets_pdf(sheets) if drawing else b""
        return pdfs


def _facts(variant: Variant, posted: Sequence[PlayerPost]) -> PackFacts:
    names = {post.power: variant.powers[post.power].name for post in posted}
    notes = [f"{names[post.power]}: {post.reach.note}" for post in posted if post.reach.note]
    # POST-06: what was agreed with a player who cannot use the usual way.
    notes += [f"{names[post.power]}: {post.accommodation}" for post in posted if post.accommodation]
    notes += [
        f"{names[post.power]}: {BY_HAND}"
        for post in posted
        if post.reach.addresses and by_hand(post.player, post.reach)
    ]
    return PackFacts(
        posted=tuple(
            (names[post.power], len(post.reach.addresses)) for post in posted if post.reach.addresses
        ),
        without=tuple(names[post.power] for post in posted if not post.reach.addresses), notes=tuple(notes))


# The kinds of these letters
# --------------------------------------------------------------------------------------------------


def _postal_pack_sample(seat: Previews) -> Sample[PackFacts]:
    season, kind = seat.variant.calendar.year_end
    phase = replace(seat.coming(kind).phase, season=season)
    facts = PackFacts(((seat.name, 1),), tuple(
        power.name for power in seat.variant.powers.values() if power.id != seat.power))
    return Sample(facts, "As if only this power had a postal address.", phase)


POSTAL_PACK = LetterKind(
    "postal_pack", PackFacts, "Pack to print and post",
    Occasion("you", "with the last results of a game year", _postal_pack_sample),
    rank=Rank.LATER, addressee=Addressee.COORDINATOR)
"""The pack that the coordinator prints and posts at a year's end: envelopes, results, map (OUT-10, Q-12)."""
