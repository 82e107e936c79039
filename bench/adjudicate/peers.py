"""The two public judges in Python that run next to ours: packages `diplomacy` and `pydip`, from the extra
`bench`.

Each gets what its own users would give it, prepared before the clock starts, and answers with the units on
the board afterwards, which shows whether all do the same work.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module, metadata
from typing import Any, Protocol

from adjudicator.geo import LAND, SEA, Board, Region
from bench.adjudicate.positions import Record

Standing = frozenset[str]
"""The units on the board afterwards, without dislodged ones, as "FRANCE F SPA/SC"."""


@dataclass(frozen=True, slots=True)
class Job:
    """One prepared position: `work` is what is timed, `result` reads the units from what it returned."""

    work: Callable[[], Any]
    result: Callable[[Any], Standing]


class Peer(Protocol):
    """A judge to compare with. A job is used once; `ready` may be called again for the same position."""

    name: str
    timed: str

    def ready(self, record: Record) -> Job:
        """Prepare a position of the standard board to be judged once."""


def load(package: str, board: Board) -> Peer | None:
    """A peer by its package's name; None if that is not installed."""
    try:
        version = metadata.version(package)
        return Diplomacy(board, version) if package == "diplomacy" else Pydip(board, version)
    except (metadata.PackageNotFoundError, ImportError):
        return None


def expected(record: Record) -> Standing:
    """The units that a position's own record expects."""
    return frozenset(record["expect"]["positions"])


class _Reader:
    """One position's units and orders in the common three-letter names."""

    def __init__(self, board: Board, record: Record) -> None:
        self.board = board
        self.units = [tuple(text.split(" ")) for text in record["units"]]
        self.kind = {loc[:3]: kind for _, kind, loc in self.units}
        self.loc = {loc[:3]: loc for _, _, loc in self.units}
        self.owner = {loc[:3]: power for power, _, loc in self.units}
        self.orders = record["orders"]
        # Armies that a fleet of their own power convoys to where they move.
        self.convoyed = {
            order["from"][:3] for order in self.orders
            if order["order"] == "convoy" and self.owner.get(order["from"][:3]) == order["power"]
            and self._is_moved(order)
        }

    def _is_moved(self, convoy: Record) -> bool:
        return any(
            order["order"] == "move" and order["loc"][:3] == convoy["from"][:3]
            and order["to"][:3] == convoy["to"][:3]
            for order in self.orders
        )

    def must_say_via(self, order: Record) -> bool:
        """True if a move's text must name the convoy: the order does, or the army's own fleet convoys it to a
        neighbour, which without the word would be a move by land."""
        own_convoy = order["loc"][:3] in self.convoyed and self._is_neighbour(order)
        return bool(order.get("via_convoy")) or own_convoy

    def goes_by_sea(self, order: Record) -> bool:
        """True if an army goes by sea: it says so, its own fleet convoys it, or there is no way by land."""
        is_army = self.kind.get(order["loc"][:3]) == "A"
        return is_army and (self.must_say_via(order) or not self._is_neighbour(order))

    def _is_neighbour(self, order: Record) -> bool:
        return order["to"][:3] in self.board.near(order["loc"][:3], LAND)


class Diplomacy:
    """Package `diplomacy`: `set_orders` and `process` are timed, the game is set up before."""

    def __init__(self, board: Board, version: str) -> None:
        self.name = f"diplomacy {version}"
        self.timed = "set_orders + process, from order texts; Game, clear_units and set_units before"
        self._board = board
        self._game: Callable[[], Any] = import_module("diplomacy").Game

    def ready(self, record: Record) -> Job:
        """See Peer: order texts by power, and a game with the position's units."""
        reader = _Reader(self._board, record)
        game = self._game()
        game.clear_units()
        for power in sorted(game.powers):
            game.set_units(power, [f"{kind} {loc}" for owner, kind, loc in reader.units if owner == power])
        texts: dict[str, list[str]] = {}
        for order in reader.orders:
            texts.setdefault(order["power"], []).append(self._text(reader, order))

        def work() -> Any:
            for power, lines in texts.items():
                game.set_orders(power, lines)
            game.process()
            return game

        return Job(work, self._result)

    @staticmethod
    def _text(reader: _Reader, order: Record) -> str:
        unit = f"{order['type']} {order['loc']}"
        target = order.get("from", "")
        other = f"{reader.kind.get(target[:3], 'A')} {target}"
        match order["order"]:
            case "move":
                return f"{unit} - {order['to']}{' VIA' if reader.must_say_via(order) else ''}"
            case "support_hold":
                return f"{unit} S {other}"
            case "support_move":
                return f"{unit} S {other} - {order['to']}"
            case "convoy":
                return f"{unit} C {other} - {order['to']}"
            case _:
                return f"{unit} H"

    @staticmethod
    def _result(game: Any) -> Standing:
        return frozenset(f"{name} {unit}" for name, power in game.powers.items() for unit in power.units)


class Pydip:
    """Package `pydip`: command objects and `resolve_turn` are timed.

    It refuses illegal orders by an assertion. So an order that the record calls void is given as a hold, and
    so is one that pydip refuses.
    """

    def __init__(self, board: Board, version: str) -> None:
        self.name = f"pydip {version}"
        self.timed = "command objects + resolve_turn; Player objects before; void orders as holds"
        self._board = board
        self._map = import_module("pydip.map.predefined.vanilla_dip").generate_map()
        self._commands = import_module("pydip.player.command.command")
        self._player = import_module("pydip.player.player").Player
        kinds = import_module("pydip.player.unit")
        self._kind = {"A": kinds.UnitTypes.TROOP, "F": kinds.UnitTypes.FLEET}
        self._letter = {kind: letter for letter, kind in self._kind.items()}
        self._resolve = import_module("pydip.turn.resolve").resolve_turn
        self._name = {region: self._package_name(*region) for region in self._regions()}
        self._region = {name: region for region, name in self._name.items()}

    def ready(self, record: Record) -> Job:
        """See Peer: player objects with their units, and the maker of each unit's command."""
        reader = _Reader(self._board, record)
        players = {
            power: self._player(power, self._map, [
                {"territory_name": self._place(kind, loc), "unit_type": self._kind[kind]}
                for owner, kind, loc in reader.units if owner == power
            ])
            for power in sorted({owner for owner, _, _ in reader.units})
        }
        standing = {
            self._region[u.position][1][:3]: (player, u) for player in players.values() for u in player.units
        }
        makers = dict.fromkeys(standing, self._commands.HoldCommand)
        parts: dict[str, tuple[Any, ...]] = dict.fromkeys(standing, ())
        for order, outcome in zip(reader.orders, record["expect"]["orders"], strict=True):
            if outcome["result"] != "void" and order["order"] != "hold":
                place = order["loc"][:3]
                makers[place], parts[place] = self._command(reader, order, standing)
                try:
                    makers[place](*standing[place], *parts[place])
                except AssertionError:
                    makers[place], parts[place] = self._commands.HoldCommand, ()
        plan = [(makers[place], (*standing[place], *parts[place])) for place in standing]

        def work() -> Any:
            return self._resolve(self._map, [maker(*arguments) for maker, arguments in plan])

        return Job(work, self._result)

    def _command(
        self, reader: _Reader, order: Record, standing: dict[str, tuple[Any, Any]]
    ) -> tuple[Any, tuple[Any, ...]]:
        if order["order"] == "move":
            if reader.goes_by_sea(order):
                return self._commands.ConvoyMoveCommand, (self._place("A", order["to"]),)
            return self._commands.MoveCommand, (self._end(reader, order["loc"][:3], order["to"]),)
        target = order["from"][:3]
        unit = standing[target][1]
        if order["order"] == "convoy":
            return self._commands.ConvoyTransportCommand, (unit, self._place("A", order["to"]))
        if order["order"] == "support_hold":
            return self._commands.SupportCommand, (unit, unit.position)
        return self._commands.SupportCommand, (unit, self._end(reader, target, order["to"]))

    def _end(self, reader: _Reader, start: str, to: str) -> str:
        """Where a move ends, by the package's name. A fleet's move needs the coast, which the record may
        omit."""
        if reader.kind[start] == "A":
            return self._place("A", to)
        reach = self._board.neighbours(Region.of(reader.loc[start]), SEA)
        coasts = sorted(str(region) for region in reach if region.province == to[:3])
        return self._place("F", to if to in coasts or not coasts else coasts[0])

    def _place(self, kind: str, loc: str) -> str:
        return self._name[kind, loc if kind == "F" else loc[:3]]

    def _regions(self) -> set[tuple[str, str]]:
        fleet_regions = {("F", str(region)) for region in self._board.links[SEA]}
        return fleet_regions | {("A", str(region)) for region in self._board.links[LAND]}

    def _package_name(self, kind: str, loc: str) -> str:
        province = self._board.provinces[loc[:3]]
        # Three names that pydip spells otherwise than our board.
        name = {
            "STP": "St. Petersburg",
            "EAS": "Eastern Mediterranean Sea",
            "WES": "Western Mediterranean Sea",
        }.get(province.id, province.name)
        if kind == "A" or province.is_sea:
            return name
        # pydip calls Bulgaria's east coast its north coast.
        coast = {"NC": "North ", "EC": "North ", "SC": "South "}.get(loc[4:], "")
        return f"{name} {coast}Coast"

    def _result(self, results: Any) -> Standing:
        return frozenset(
            f"{power} {self._letter[unit.unit_type]} {self._region[unit.position][1]}"
            for power, units in results.items() for unit, retreats in units.items() if retreats is None
        )
