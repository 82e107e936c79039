"""Whether an order that was read means what was written."""

from __future__ import annotations

from training.evaluation.truth import Meaning
from training.sheets.order_meaning import FORMS, UNIT, parts_of

# By the forms of the contract and not by our grammar, so that a fault of the grammar cannot hide itself.
_WITH_KINDS = (*FORMS, ("convert", rf"{UNIT} converts"))
# A reader leaves out a kind that carries nothing and that the ink leaves in doubt (INK-10).
_FORMS = (*_WITH_KINDS, *(
    (name, form.replace(UNIT, "(?P<kind>)(?P<place>.+?)")) for name, form in _WITH_KINDS if name != "build"))
# Between the orders of a line that gives several.
_SEVERAL = "; "
# Forms that one phase writes for what another calls differently.
# What one phase calls a retreat or a removal is a move or a disbanding elsewhere.
_ALIKE = {"retreat": "move", "remove": "disband"}


def meaning_of(order: str) -> Meaning | None:
    """The parts of one order in canonical text; None for any other text, such as several orders."""
    return None if _SEVERAL in order else parts_of(order, _FORMS)


def same(written: Meaning, read: Meaning) -> bool:
    """True if an order that was read is the one written. A unit's kind may be missing on either side. A
    written coast must be read, except that of a supported unit; a coast that was added is accepted."""
    if _ALIKE.get(written["order"], written["order"]) != _ALIKE.get(read["order"], read["order"]):
        return False
    if any(written.get(key) != read.get(key) for key in ("to", "count", "sheds")):
        return False
    if not _same_unit(written.get("unit"), read.get("unit"), coast_needed=True):
        return False
    if not _same_unit(written.get("target"), read.get("target"), coast_needed=False):
        return False
    if written.get("to_coast") and written["to_coast"] != read.get("to_coast"):
        return False
    kinds = written.get("to_type"), read.get("to_type")
    return not (all(kinds) and kinds[0] != kinds[1]) and _power(written) == _power(read)


def _same_unit(written: Meaning | None, read: Meaning | None, *, coast_needed: bool) -> bool:
    if written is None or read is None:
        return written is read
    kinds = written["type"], read["type"]
    if written["at"] != read["at"] or (all(kinds) and kinds[0] != kinds[1]):
        return False
    if not written.get("coast") or written["coast"] == read.get("coast"):
        return True
    # The coast of a supported unit has nothing that its region does not.
    return not coast_needed and not read.get("coast")


def _power(meaning: Meaning) -> str:
    return str(meaning.get("power") or "").casefold().removeprefix("the ")
