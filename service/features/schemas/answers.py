"""Schemas of the JSON that commands print and take (docs/contract.md). What is printed may gain keys, so
those objects are open; what it takes is described as far as the board does not matter."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

import adjudicator.rules
from adjudicator.calendar import PhaseKind
from adjudicator.orders import SHARED_ORDERS, FieldKind, Order, order_fields
from adjudicator.outcome import Result
from grammar.complaint import ComplaintCode
from ocr.decoding.open_reasons import OpenReason
from ocr.page import Status, UnreadableReason
from ocr.unreadable import FileTrouble
from service.facts.files import TOO_MANY, FileFate, OtherKind
from service.facts.refusals import RefusalReason
from service.features.schemas.parts import (
    COUNT,
    FILLED,
    FLAG,
    TEXT,
    WHOLE,
    Schema,
    an_object,
    list_of,
    one_of,
    or_null,
    table_of,
    with_text,
)
from service.intake.verdicts.verdict import VerdictKind
from service.mail.authentication.verdict import Method
from service.mail.reports.values import Outcome

_CHANCE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
_POINT: Schema = {"type": "array", "items": WHOLE, "minItems": 2, "maxItems": 2}
_FIELDS = {
    FieldKind.PLACE: FILLED,
    FieldKind.POWER: FILLED,
    FieldKind.COUNT: WHOLE,
    FieldKind.FLAG: FLAG,
    FieldKind.UNIT_KIND: FILLED,
    FieldKind.COAST: FILLED,
}


_PARTS = ("opening", "recognizing", "deciphering")


def _candidate() -> Schema:
    return an_object(
        {
            "text": or_null(TEXT),
            "order": or_null(TEXT),
            "score": with_text({"type": "number"}, "How well the text fits the ink; the best first."),
        },
        closed=False,
    )


def _printed() -> Schema:
    """The facts of a page as a printed sheet."""
    code = an_object(
        {
            "game": FILLED, "power": FILLED, "season": FILLED, "year": {"type": "integer"},
            "kind": one_of(PhaseKind), "page": {"type": "integer", "minimum": 1}, "nonce": FILLED,
        },
        closed=False,
    )
    return an_object(
        {
            "marks": with_text({"type": "integer", "minimum": 0, "maximum": 4}, "Corner marks seen."),
            "code": with_text(
                or_null(code),
                "Null if it could not be read. Its letters are "
                "GALLOPER1:game:power:year.season.kind:page:nonce in capitals, with M, R, A or T for the "
                "kind and %XX for what QR codes lack. It is not proof of a sender."),
        },
        closed=False,
    )


def read_answer() -> Schema:
    """One photograph of `galloper read --json`."""
    line = an_object(
        {
            "box": with_text(
                list_of(_POINT, minItems=4, maxItems=4),
                "Corners in pixels of the photograph as shown (EXIF applied), clockwise from the top left "
                "of the writing.",
            ),
            "kind": one_of("heading", "order", "other"),
            "struck": with_text(FLAG, "Whether it is crossed out; then it gives no order."),
            "text": with_text(TEXT, "The written text, without line breaks within an order."),
            "order": with_text(or_null(TEXT), "The order in canonical text."),
            "confidence": with_text(
                _CHANCE, "The calibrated probability that `order` (or `text`) was written."),
            "status": with_text(one_of("auto", "open"), "`open`: a person must decide."),
            "candidates": with_text(
                list_of(_candidate(), maxItems=5),
                "Readings, the best first; `text` is the written text under that `order`."),
            "why_open": with_text(
                list_of(an_object({"reason": one_of(OpenReason), "sentence": FILLED}, closed=False)),
                "Why a person must decide; empty if no decision is needed.",
            ),
        },
        closed=False,
    )
    line["if"] = {"properties": {"struck": {"const": True}}}
    line["then"] = {"properties": {"order": {"type": "null"}}}
    page = an_object(
        {
            "page": {"type": "integer", "minimum": 1},
            "rotation": {"enum": [0, 90, 180, 270]},
            "skew_degrees": {"type": "number"},
            "printed": with_text(or_null(_printed()), "Marks and code of a printed sheet; null for others."),
            "own_hand": with_text(
                list_of({"type": "integer", "minimum": 0}),
                "Places in `lines`, from 0, of the sure lines whose letters served to read waiting lines "
                "again and to check close ones; empty if there are none."),
            "lines": list_of(line),
        },
        closed=False,
    )
    whole = an_object(
        {
            "file": FILLED,
            "status": with_text(one_of(Status), "Whether lines were read."),
            "reason": with_text(or_null(one_of(UnreadableReason)), "Why no lines were read."),
            "seconds": with_text({"type": "number", "minimum": 0}, "Wall-clock time from bytes to lines."),
            "seconds_by_part": with_text(
                an_object(
                    {part: {"type": "number", "minimum": 0} for part in _PARTS}, closed=False
                ),
                "The same by part: opened, rows and letters, orders.",
            ),
            "pages": list_of(page),
        },
        closed=False,
    )
    whole["if"] = {"properties": {"status": {"const": Status.READ.value}}}
    whole["then"] = {"properties": {"reason": {"type": "null"}, "pages": {"minItems": 1}}}
    whole["else"] = {"properties": {"pages": {"maxItems": 0}}}
    return whole


def parse_answer() -> Schema:
    """One line of `galloper parse --json`."""
    several = an_object({"orders": list_of({"$ref": "#/$defs/order"}, minItems=2)})
    whole = an_object(
        {
            "text": with_text(TEXT, "The line as it was typed."),
            "order": with_text(or_null(TEXT), "The order in canonical text."),
            "parsed": {"anyOf": [{"$ref": "#/$defs/order"}, several, {"type": "null"}]},
            "complaint": or_null(
                an_object(
                    {
                        "code": one_of(ComplaintCode),
                        "span": with_text(
                            list_of(COUNT, minItems=2, maxItems=2), "From and to, in characters of the text."
                        ),
                        "message": FILLED,
                    },
                    closed=False,
                )
            ),
            "candidates": list_of(_candidate()),
        },
        closed=False,
    )
    return whole | {"$defs": {"order": _order(with_power=False)}}


@cache
def _order_classes() -> tuple[type[Order], ...]:
    """Every kind of order of the rule sets of this program."""
    classes: dict[type[Order], None] = dict.fromkeys(SHARED_ORDERS)
    for module in pkgutil.iter_modules(adjudicator.rules.__path__):
        rules = getattr(importlib.import_module(f"adjudicator.rules.{module.name}"), "RULES", None)
        if rules is not None:
            classes |= {order: None for orders in rules.ORDERS.values() for order in orders if order.WORD}
    return tuple(classes)


def _order(*, with_power: bool) -> Schema:
    return {"anyOf": [_order_of(order, with_power=with_power) for order in _order_classes()]}


def _order_of(order: type[Order], *, with_power: bool) -> Schema:
    properties: Schema = {"order": {"const": order.WORD}}
    optional = ["power"]
    properties["power"] = FILLED
    for name, (kind, is_optional) in order_fields(order).items():
        if kind is FieldKind.UNIT:
            place, letter = ("loc", "type") if name == "unit" else ("from", "from_type")
            properties |= {place: FILLED, letter: FILLED}
            optional.append(letter)
            continue
        key = order.JSON_KEYS.get(name, name)
        properties[key] = _FIELDS[kind]
        optional += [key] if is_optional else []
    if with_power:
        optional.remove("power")
    return an_object(properties, optional)


def _dislodged() -> Schema:
    return an_object(
        {
            "power": FILLED,
            "type": FILLED,
            "loc": FILLED,
            "attacker_from": with_text(FILLED, "A province without coast."),
            "by_convoy": FLAG,
            "may_retreat": list_of(FILLED),
        },
        ("by_convoy", "may_retreat"),
        closed=False,
    )


def case() -> Schema:
    """One line that `galloper adjudicate` takes. Which names there are depends on the board."""
    memory = an_object(
        {"converting": list_of(FILLED), "notes": list_of(list_of(TEXT))},
        ("converting", "notes"),
        closed=False,
    )
    unit = {"type": "string", "pattern": r"^\S.* \S+ \S"}
    whole = an_object(
        {
            "id": with_text(
                {"type": ["string", "integer", "null"]}, "The case's name; the answer has it too."
            ),
            "phase": with_text(one_of(PhaseKind), "What is ordered."),
            "season": FILLED,
            "year": WHOLE,
            "units": with_text(list_of(unit), "Power, kind and region: `FRANCE F SPA/SC`."),
            "orders": list_of({"$ref": "#/$defs/order"}),
            "centres": with_text(
                {"type": ["object", "null"], "additionalProperties": list_of(FILLED)}, "Owner to centres."
            ),
            "dislodged": list_of(_dislodged()),
            "contested": with_text(list_of(FILLED), "Regions left empty by a standoff."),
            "memory": memory,
            "state": with_text({"type": "object"}, "State of the rules of one game."),
            "lots": with_text(list_of(WHOLE), "Numbers for the draws, in this order."),
        },
        ("id", "season", "year", "centres", "dislodged", "contested", "memory", "state", "lots"),
        closed=False,
    )
    return whole | {"$defs": {"order": _order(with_power=True)}}


def case_answer() -> Schema:
    """One line that `galloper adjudicate` prints."""
    outcome = an_object(
        {
            "result": one_of(Result),
            "reason": with_text(FILLED, "The contract's word for the result."),
            "dislodged": FLAG,
            "why": with_text(FILLED, "A sentence."),
        },
        ("reason", "dislodged"),
        closed=False,
    )
    name: Schema = {"type": ["string", "integer", "null"]}
    judged = an_object(
        {
            "id": name,
            "orders": with_text(list_of(outcome), "The outcome of each order, in the order of the case."),
            "positions": with_text(list_of(FILLED), "Units after judging."),
            "dislodged": list_of(_dislodged()),
            "contested": list_of(FILLED),
            "destroyed": list_of(FILLED),
            "unordered": list_of(FILLED),
            "disbanded": list_of(FILLED),
            "removed": list_of(FILLED),
            "removed_by_civil_disorder": list_of(FILLED),
            "removed_by_lot": list_of(FILLED),
            "lots_used": COUNT,
            "memory": {"type": "object"},
            "notes": list_of(FILLED),
            "centres": table_of(list_of(FILLED)),
            "winner": or_null(FILLED),
            "draw_open_to": or_null(list_of(FILLED)),
            "joint": list_of(FILLED),
            "state": {"type": "object"},
            "report": {"type": "object"},
            "unresolved": list_of(COUNT),
        },
        (
            "dislodged",
            "contested",
            "destroyed",
            "unordered",
            "disbanded",
            "removed",
            "removed_by_civil_disorder",
            "removed_by_lot",
            "lots_used",
            "memory",
            "notes",
            "centres",
            "winner",
            "draw_open_to",
            "joint",
            "state",
            "report",
            "unresolved",
        ),
        closed=False,
    )
    return {
        "anyOf": [
            judged,
            an_object({"id": name, "error": with_text(FILLED, "The field, and its fault.")}),
        ]
    }


def intake_answer() -> Schema:
    """One mail of `galloper intake --json`."""
    whole = an_object(
        {
            "file": FILLED,
            "verdict": one_of(VerdictKind),
            "reason": with_text(or_null(one_of(RefusalReason)), "Why it is ignored or rejected."),
            "game": or_null(FILLED),
            "power": or_null(FILLED),
            "season": or_null(FILLED),
            "year": or_null(WHOLE),
            "type": or_null(one_of(*(kind.value.capitalize() for kind in PhaseKind))),
            "version": or_null(WHOLE),
            "photos": with_text(COUNT, "Pages of the sheet, without repeated ones and those without orders."),
            "flags": list_of(FILLED),
            "reply_to": or_null(FILLED),
            "alert": FLAG,
            "of": with_text(or_null(FILLED), "The earlier mail that this one repeats."),
            "proof": with_text(or_null(an_object({
                "method": one_of(Method), "by": with_text(FILLED, "A mail server's name, or this program."),
                "domain": FILLED,
            })), "The proof of the sender; null without proof."),
            "authentication": with_text(
                or_null(FILLED), "The proof in words, or why there is none; null if no proof was sought."),
            "files": with_text(
                list_of(an_object({
                    "name": TEXT,
                    "fate": one_of(FileFate),
                    "why": or_null(one_of(FileTrouble, OtherKind, TOO_MANY)),
                }, closed=False)),
                "The files of a mail whose body was read, also of those in archives and attached mails."),
            "recipients": with_text(
                list_of(FILLED), "Of a report about our letter: failed addresses, else those that wait."),
            "outbox_status": with_text(or_null(one_of(Outcome)), "Of a report: the fate of the letter."),
            "outbox_message_id": with_text(or_null(FILLED), "Of a report: the letter concerned."),
            "enhanced_status": with_text(or_null(FILLED), "Of a report: RFC 3463, as 5.1.1."),
        },
        ("reply_to", "alert", "of", "proof", "authentication", "files", "recipients", "outbox_status",
         "outbox_message_id", "enhanced_status"),
        closed=False,
    )
    whole["if"] = {"properties": {"verdict": {"const": VerdictKind.ACCEPTED.value}}}
    whole["then"] = {"properties": {"reason": {"type": "null"}, "game": FILLED, "power": FILLED}}
    whole["else"] = {"properties": {"reason": one_of(RefusalReason)}}
    return whole
