"""Units on a board, and those that must retreat."""

from __future__ import annotations

from dataclasses import dataclass

from adjudicator import position as judged, units


@dataclass(frozen=True, slots=True, repr=False)
class Unit:
    """One unit: its owner, the letter of its kind, its province, and its coast if the province has several
    and the unit is a fleet. Its text is "FRANCE F SPA/NC"."""

    power: str
    kind: str
    province: str
    coast: str | None = None

    @property
    def region(self) -> str:
        """The province with the coast: "SPA/NC"."""
        return self.province if self.coast is None else f"{self.province}/{self.coast}"

    def __str__(self) -> str:
        return f"{self.power} {self.kind} {self.region}"

    def __repr__(self) -> str:
        return f"Unit({str(self)!r})"


@dataclass(frozen=True, slots=True, repr=False)
class Dislodgement:
    """A unit that was dislodged and has not retreated yet.

    `attacker_from` is the province that the attacker came from, `may_retreat` the regions that are free to
    it, sorted. `by_convoy`: the attacker came by convoy.
    """

    unit: Unit
    attacker_from: str
    by_convoy: bool
    may_retreat: tuple[str, ...]

    def __str__(self) -> str:
        where = f"may retreat to {', '.join(self.may_retreat)}" if self.may_retreat else "cannot retreat"
        return f"{self.unit} {where}"

    def __repr__(self) -> str:
        return f"<Dislodgement {self}>"


def unit_of(unit: units.Unit) -> Unit:
    """The judge's unit as one of this package."""
    return Unit(unit.power, unit.kind, unit.region.province, unit.region.coast)


def dislodgement_of(dislodged: judged.Dislodgement) -> Dislodgement:
    """The judge's dislodgement as one of this package."""
    return Dislodgement(
        unit_of(dislodged.unit), dislodged.attacker_from, dislodged.by_convoy,
        tuple(sorted(map(str, dislodged.may_retreat))))
