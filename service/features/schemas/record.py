"""Schemas of an archive's record and manifest (docs/record.md). The digests in them no schema can check:
`galloper verify` does."""

from __future__ import annotations

from collections.abc import Iterable

from adjudicator.calendar import PhaseKind
from reading.status import LineState
from service.archive.export import Edition
from service.facts.options import ReviewMode
from service.features.schemas.parts import (
    COUNT,
    DAY,
    DIGEST,
    FILLED,
    FLAG,
    INSTANT,
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
from service.record.entries import FACTS
from service.store.columns import MailState, OutboxState, PhaseState
from service.store.digests import FORMAT

_NUMBER: Schema = {"type": "integer", "minimum": 1}
_PHASE: Schema = with_text(COUNT, "The phase's number in its game.")
_DOCUMENT: Schema = {"type": "object"}
BEGUN = "begun"
_MADE = {
    BEGUN: "Entry 1: the record begins. `board` is null, or for a board of the site the digest of the "
           "canonical object from the name to the digest of each file in `board/`.",
    "game": "The game or one of its options changes.",
    "seat": "A seat's player changes; a player is a pseudonym.",
    "addresses": "An address of a player or a link for photographs changes. Digests, never open to players.",
    "phase": "A phase is planned, opened, moved, closed, judged, sent or unsealed. `phase` is its number, "
             "`position` the digest of the board, `lots` that of the seed.",
    "mail": "A mail is judged: in the game it names, in those of its sender, or the one in its subject; of "
            "unproved mails 50 a day, and those that a person decides. `mail` is its digest, `stamped` the "
            "receiving server's time.",
    "sheet": "A sheet is filed, held, chosen, or filed again. `asks` is the version in its words; "
             "`photographs` are digests.",
    "reading": "A sheet was read, or a line was cut or read again: each photograph with its upright picture "
               "and lines. `hand` is the digest of a player's own hand.",
    "aside": "With a reading: words that are not orders, never open to players (Q-37).",
    "decision": "A person decides a line, or takes the decision back.",
    "posted": "A letter came by post.",
    "word": "A word for the lots came.",
    "judged": "A phase is judged, or the judging is taken back (`taken_back`). `executed` is power to sheet, "
              "`not_executed` sheet to reason; `case` and `answer` are those of `galloper adjudicate`, null "
              "where the contract cannot express them.",
    "letter": "A letter is written, sent or given up. `message` is a digest.",
    "correction": "An error in sent results is corrected.",
    "person": "A person gets a role at the desk; null `role`: loses it.",
    "key": "A key that signs receipts is made (Ed25519).",
    "gone": "A row was deleted from the database, which no act does.",
    "event": "Any other logged event of the game.",
}
"""When an entry of each kind is made, and what to know of its keys."""


def manifest() -> Schema:
    """`manifest.json` of an archive."""
    return an_object(
        {
            "format": {"enum": [FORMAT]},
            "game": with_text(FILLED, "The game's short name."),
            "name": FILLED,
            "variant": FILLED,
            "edition": one_of(Edition),
            "made": with_text(INSTANT, "When it was written."),
            "galloper": with_text(FILLED, "The version that wrote it."),
            "entries": COUNT,
            "root": with_text(DIGEST, "The link of the last entry."),
        }
    )


def entry() -> Schema:
    """One line of `record.jsonl`: closed, or open with `salt` and `body`."""
    whole = an_object(
        {
            "n": with_text(_NUMBER, "The entry's number."),
            "leaf": with_text(DIGEST, "The digest of salt and body."),
            "link": with_text(DIGEST, "The digest of the chain up to here."),
            "salt": with_text(DIGEST, "64 random digits, where the entry is open."),
            "body": {"$ref": "#/$defs/body"},
            "head": with_text(FILLED, "Kind and phase of a closed entry, up to the last results."),
            "inner": with_text(DIGEST, "The digest of its salt and body."),
        },
        ("salt", "body", "head", "inner"),
    )
    kinds = _kinds()
    assert set(kinds) == {*FACTS, BEGUN}
    body = an_object(
        {
            "what": with_text(one_of(*kinds), "The kind of fact."),
            "fact": with_text(TEXT, "The fact's key; the last entry of a fact counts."),
            "entered": with_text(INSTANT, "When."),
            "tells": with_text(_DOCUMENT, "The content; see the table of its kind."),
        }
    )
    body["allOf"] = [
        {"if": {"properties": {"what": {"const": kind}}},
         "then": {"properties": {"tells": _described(tells, _MADE[kind])}}}
        for kind, tells in kinds.items()
    ]
    # Either both are shown or neither.
    return whole | {"dependentRequired": {
        "salt": ["body"], "body": ["salt"], "head": ["inner"], "inner": ["head"]}, "$defs": {"body": body}}


def _tells(properties: dict[str, Schema], optional: Iterable[str] = ()) -> Schema:
    # Records outlive programs: a later one may add more.
    return an_object(properties, optional, closed=False)


def _described(tells: Schema, words: str) -> Schema:
    """With its description: that of the first form, where an entry has several."""
    first, *others = tells.get("anyOf", (tells,))
    return {"anyOf": [with_text(first, words), *others]} if others else with_text(tells, words)


def _kinds() -> dict[str, Schema]:
    sheet: Schema = {"sheet": _NUMBER, "phase": _PHASE, "power": FILLED}
    seal = an_object({"at": INSTANT, "by": or_null(TEXT), "why": or_null(TEXT)})
    line = _tells(
        {
            "line": _NUMBER,
            "kind": FILLED,
            "struck": FLAG,
            "text": or_null(TEXT),
            "order": or_null(TEXT),
            "state": one_of(LineState),
            "per_mille_sure": {"type": "integer", "minimum": 0, "maximum": 1000},
            "box": list_of(list_of(WHOLE, minItems=2, maxItems=2)),
            "candidates": list_of(list_of(or_null(TEXT), minItems=2, maxItems=2)),
        }
    )
    page = _tells(
        {
            "page": WHOLE,
            "photograph": or_null(DIGEST),
            "upright": or_null(DIGEST),
            "turned": WHOLE,
            "note": or_null(TEXT),
            "code": FILLED,
            "lines": list_of(line),
        },
        {"code"},
    )
    order = _tells(
        {
            "power": FILLED,
            "line": or_null(WHOLE),
            "written": or_null(TEXT),
            "order": or_null(TEXT),
            "result": FILLED,
            "why": TEXT,
        }
    )
    chain = _tells({"chain": DIGEST, "genesis": COUNT, "period": _NUMBER, "key": FILLED})
    draw = _tells(
        {"rule": {"const": 2}, "beacon": or_null(chain), "seed_lost": FLAG, "beacon_given_up": FLAG},
        {"seed_lost", "beacon_given_up"})
    beacon = _tells({"round": _NUMBER, "signature": FILLED, "randomness": DIGEST})
    lots = _tells(
        {
            "rule": {"const": 2}, "seed": or_null(DIGEST), "words": list_of(FILLED),
            "sheets": list_of(FILLED), "beacon": or_null(beacon), "used": COUNT, "numbers": list_of(COUNT),
        },
    )
    judged = _tells(
        {
            "phase": _PHASE,
            "position": _DOCUMENT,
            "resolution": _DOCUMENT,
            "executed": table_of(WHOLE),
            "not_executed": table_of(TEXT),
            "orders": list_of(order),
            "lots": lots,
            "case": or_null(_DOCUMENT),
            "answer": or_null(_DOCUMENT),
        }
    )
    return {
        BEGUN: _tells(
            {"format": {"enum": [FORMAT]}, "game": FILLED, "variant": FILLED, "board": or_null(DIGEST)}
        ),
        "game": _tells({"name": FILLED, "aliases": list_of(TEXT), "variant": FILLED, "options": _DOCUMENT}),
        "seat": _tells({"power": FILLED, "player": or_null(TEXT)}),
        "addresses": _tells({"player": FILLED, "addresses": list_of(DIGEST), "links": list_of(_DOCUMENT)}),
        "phase": _tells(
            {
                "phase": _PHASE,
                "year": WHOLE,
                "season": FILLED,
                "kind": one_of(PhaseKind),
                "opens": INSTANT,
                "deadline": INSTANT,
                "state": one_of(PhaseState),
                "review": one_of(ReviewMode),
                "unsealed": or_null(seal),
                "position": or_null(DIGEST),
                "lots": or_null(DIGEST),
                "draw": draw,
            },
        ),
        "key": _tells({"number": _NUMBER, "public": DIGEST}),
        "person": _tells({"name": FILLED, "role": or_null(FILLED)}),
        "gone": _tells({"of": FILLED, "which": FILLED}),
        "mail": _tells(
            {
                "mail": DIGEST,
                "size": COUNT,
                "stamped": INSTANT,
                "stored": INSTANT,
                "became": one_of(MailState),
                "reason": or_null(TEXT),
            },
            ("size",),
        ),
        "sheet": _tells(
            {
                **sheet,
                "version": or_null(WHOLE),
                "asks": or_null(WHOLE),
                "fate": FILLED,
                "flags": list_of(TEXT),
                "received": INSTANT,
                "mail": or_null(DIGEST),
                "photographs": list_of(DIGEST),
            }
        ),
        "reading": _tells({**sheet, "read": INSTANT, "pages": list_of(page), "hand": DIGEST}, {"hand"}),
        "aside": _tells(
            {
                **sheet,
                "lines": list_of(
                    {"type": "array", "prefixItems": [_NUMBER, TEXT], "items": False, "minItems": 2}
                ),
            }
        ),
        "decision": _tells(
            {
                "decision": _NUMBER,
                "line": _NUMBER,
                "sheet": _NUMBER,
                "phase": _PHASE,
                "says": FILLED,
                "text": or_null(TEXT),
                "order": or_null(TEXT),
                "by": TEXT,
                "at": INSTANT,
                "settles": FLAG,
                "taken_back": or_null(INSTANT),
            }
        ),
        "posted": _tells(
            {
                "phase": _PHASE,
                "power": FILLED,
                "postmark": or_null(DAY),
                "came": DAY,
                "sheet": or_null(WHOLE),
                "by": TEXT,
                "taken_back": or_null(INSTANT),
            }
        ),
        "word": _tells(
            {
                "phase": _PHASE,
                "power": FILLED,
                "word": TEXT,
                "received": INSTANT,
                "mail": or_null(DIGEST),
                "by": or_null(TEXT),
            }
        ),
        "judged": {"anyOf": [judged, _tells({"phase": _PHASE, "taken_back": {"const": True}})]},
        "letter": _tells(
            {
                "letter": _NUMBER,
                "kind": FILLED,
                "phase": or_null(_PHASE),
                "to": list_of(FILLED),
                "message": or_null(DIGEST),
                "became": one_of("written", *(state.value for state in (
                    OutboxState.SENT, OutboxState.FAILED, OutboxState.CANCELLED))),
                "sent": or_null(INSTANT),
            }
        ),
        "correction": _tells(
            {
                "phase": _PHASE,
                "said": TEXT,
                "right": TEXT,
                "effect": TEXT,
                "found_by": TEXT,
                "by": TEXT,
                "at": INSTANT,
            }
        ),
        "event": _tells({"event": FILLED, "by": or_null(TEXT), "at": INSTANT, "detail": {}}),
    }
