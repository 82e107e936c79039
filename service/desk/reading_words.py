"""Words that the edit box completes: every name of the board with every spelling, and the words of its order forms.

Lexical only: all names of the board are offered always, whatever stands where and whoever borders whom.
"""

from __future__ import annotations

from dataclasses import dataclass

from adjudicator.calendar import PhaseKind
from grammar.snap import snap
from maps.variant import Variant
from service.lexical import candidate_json, forms_of, lexicon_of

_VERBS: dict[PhaseKind, tuple[str, ...]] = {
    PhaseKind.MOVEMENT: ("moves to", "holds", "supports", "to", "convoys", "converts to", "via convoy",
                         "is under the orders of"),
    PhaseKind.RETREAT: ("retreats to", "disbands"),
    PhaseKind.ADJUSTMENT: ("Build", "Remove", "Send", "supply to", "disbands"),
}
"""What stands between names in the handbook's prose. A phase kind that a variant words itself has its names only."""


@dataclass(frozen=True, slots=True)
class Words:
    """What may be completed. `names` are pairs: a spelling a person may begin to type, and the name it stands for;
    `verbs` and `units` complete to themselves."""

    names: tuple[tuple[str, str], ...] = ()
    verbs: tuple[str, ...] = ()
    units: tuple[str, ...] = ()


def words_of(variant: Variant, kind: PhaseKind) -> Words:
    """The words of one board and phase kind."""
    board = variant.board
    spelled: dict[tuple[str, str], None] = {}
    for row in variant.names:
        province = board.provinces.get(row.region.province)
        name = row.region.province if province is None else province.name
        full = name if row.region.coast is None else f"{name}/{row.region.coast}"
        spelled[row.text, full] = None
    for province in board.provinces.values():
        spelled[province.name, province.name] = None
        for coast in province.coasts:
            spelled[f"{province.name}/{coast.id}", f"{province.name}/{coast.id}"] = None
    for power in variant.powers.values():
        for text in (power.name, *power.aliases, *([power.person] if power.person else [])):
            spelled[text, power.name] = None
    return Words(tuple(spelled), _VERBS.get(kind, ()), tuple(k.name for k in variant.kinds.values()))


def suggest(variant: Variant, kind: PhaseKind, power: str, text: str) -> list[dict[str, object]]:
    """Readings of a misread text, best first, at most five, as a line keeps them. By words alone."""
    found = snap(text, lexicon=lexicon_of(variant), forms=forms_of(variant, kind), power=power)
    return [one for one in (candidate_json(c, variant.board) for c in found.candidates) if one["order"]]
