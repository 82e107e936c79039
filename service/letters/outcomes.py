"""The outcome of an order, as sentences for any language (LET-10, REL-03).

The judge writes outcomes in English, and they are stored so: archives compare them. Here each is taken apart
again into the clauses of the rule sets, as `service.letters.set_aside` does with its sentences. Names of
units and places, and the words of an order, stay in the language of the game. What no clause fits stays as it
is, so a rule set of a site's own reads in its own words.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from functools import cache, lru_cache

import adjudicator.rules
from service.letters.language import N_, Sentence

_WHERE, _NEXT = ", where ", "; "
_DISLODGED, _DISLODGED_TOO = ", dislodged", ", and the unit is dislodged"
_HEAD = re.compile(r"(?P<word>[a-z][a-z ]{0,20})(?P<sign>[:,]) (?P<cause>.+)")
_RULE = re.compile(r"(?P<words>.+) \((?P<rule>[^()]+)\)")
_FIGURES = re.compile(r"(?P<attack>\d[\d+= ]*) against (?P<defence>\d[\d+= ]*)")
_FOUGHT = re.compile(r"(?P<name>[^:;]+): (?P<figures>\d.*)")
_BLANK = re.compile(r"\{(\d)\}")
_SHORTEST = 5
"""Letters of a clause from which it is recognized without the word before it ("void: Army Kent is in
Kent")."""
Patterns = tuple[tuple[re.Pattern[str], str], ...]
_MARKS = (
    "holds", "moves", "given", "carried", "converts", "handed over", "retreats", "disbanded", "built",
    "removed", "sent", "waived", "void", "fails", "done", "begun", "completed", "bounced", "cut", "dislodged",
    "disrupted", "no convoy", "unmatched", "destroyed", "beaten", "outbid", "too little", "lost", "stillborn",
)
"""Outcomes in one or two words (`service.games.results.mark`)."""
_OTHER = (
    "house rules, {0}", "handbook, {0}", "rules, {0}", "rule {0}",
    "coordinator's correction: the machine read “{0}”",
    "coordinator's correction: the machine could not read it",
    "read as “{0}” or as “{1}”: void, the unit holds", "read as “{0}” or as “{1}”: void",
    "could not be read: void, the unit holds", "could not be read: void", "Nobody defended it", "unit in {0}",
)
"""Sentences that are not the judge's: citations, corrections, and lines that gave no order."""


@lru_cache(4096)
def translatable(text: str) -> str:
    """An outcome, or a part of one, ready for any language; the same text where nothing of it is known."""
    # A clause's blanks take any words, so what has several parts is cut before its clauses are looked up.
    for parts_of in (_ending, _cited, _headed, _joined, _clause):
        if (sentence := parts_of(text)) is not None:
            return sentence
    return _part(text)


def messages() -> Iterator[str]:
    """Every message for the catalogues."""
    yield from sorted(_heads())
    for template in _templates():
        yield _message(template)


def _cited(text: str) -> Sentence | None:
    """An outcome with the paragraph that it rests on."""
    cited = _RULE.fullmatch(text)
    if cited is None or _FIGURES.fullmatch(cited["rule"]) or text in _templates():
        return None
    words, rule = translatable(cited["words"]), translatable(cited["rule"])
    return Sentence("%(words)s (%(rule)s)", words=words, rule=rule)


def _headed(text: str) -> Sentence | None:
    """A failure with the word that it begins with. A letter has "void, ..." where the judge has "void: ..."
    (`ShownOrder.failure`)."""
    head = _HEAD.fullmatch(text)
    if head is None or head["word"] not in _heads():
        return None
    word, sign, cause = head.groups()
    message = "%(word)s: %(cause)s" if sign == ":" else N_("%(word)s, %(cause)s")
    known = translatable(cause)
    if not isinstance(known, Sentence):
        known = _clause(cause, short=True) or cause
    return Sentence(message, word=Sentence(word), cause=known)


def _ending(text: str) -> Sentence | None:
    """What letters put behind an order (`ShownOrder.ending`): ": ..." or "; ..."."""
    sign = text[:2]
    return Sentence(f"{sign}%(words)s", words=translatable(text[2:])) if sign in {": ", "; "} else None


def _joined(text: str) -> Sentence | None:
    """Clauses one after the other, or an outcome of a unit that is dislodged too."""
    if text.endswith(_DISLODGED_TOO):
        outcome = translatable(text.removesuffix(_DISLODGED_TOO))
        return Sentence(N_("%(outcome)s, and the unit is dislodged"), outcome=outcome)
    if text.endswith(_DISLODGED):
        outcome = translatable(text.removesuffix(_DISLODGED))
        return Sentence("%(outcome)s, %(dislodged)s", outcome=outcome, dislodged=Sentence("dislodged"))
    before, found, rest = text.partition(_NEXT)
    if found:
        return Sentence("%(before)s; %(rest)s", before=translatable(before), rest=translatable(rest))
    before, found, rest = text.partition(_WHERE)
    where = _clause(_WHERE + rest)
    if not found or where is None:
        return None
    return Sentence("%(before)s%(rest)s", before=translatable(before) if before else "", rest=where)


def _clause(text: str, *, short: bool = False) -> Sentence | None:
    """A text that is a whole clause."""
    for pattern, message in _patterns(short=short):
        if (match := pattern.fullmatch(text)) is not None:
            return Sentence(message, **{name: _part(value) for name, value in match.groupdict().items()})
    return None


def _part(text: str) -> str:
    """A blank of a clause: figures, several fights, a unit of a kind that is not known, or a name."""
    if (figures := _FIGURES.fullmatch(text)) is not None:
        return Sentence(N_("%(attack)s against %(defence)s"), **figures.groupdict())
    if _NEXT in text:
        first, _, others = text.partition(_NEXT)
        return Sentence("%(first)s; %(others)s", first=_part(first), others=_part(others))
    if (fought := _FOUGHT.fullmatch(text)) is not None:
        return Sentence("%(name)s: %(figures)s", name=fought["name"], figures=_part(fought["figures"]))
    if text.endswith("."):
        return Sentence("%(words)s.", words=_part(text.removesuffix(".")))
    return (_clause(text) if text.startswith("unit in ") or text == "Nobody defended it" else None) or text


@cache
def _sentences() -> tuple[str, ...]:
    """The sentences of every rule set of this program."""
    sentences: dict[str, None] = {}
    for module in pkgutil.iter_modules(adjudicator.rules.__path__):
        rules = getattr(importlib.import_module(f"adjudicator.rules.{module.name}"), "RULES", None)
        if rules is not None:
            sentences |= dict.fromkeys(rules.SENTENCES.values())
    return tuple(sentences)


@cache
def _heads() -> frozenset[str]:
    """The words with which sentences of a failure begin: "void", "stood off"."""
    heads = (_HEAD.fullmatch(sentence) for sentence in _sentences())
    return frozenset(head["word"] for head in heads if head is not None and head["sign"] == ":")


@cache
def _templates() -> tuple[str, ...]:
    """The clauses of all sentences, and the others."""
    clauses: dict[str, None] = dict.fromkeys((*_OTHER, *_MARKS))
    for sentence in _sentences():
        head = _HEAD.fullmatch(sentence)
        body = head["cause"] if head is not None and head["word"] in _heads() else sentence
        for part in body.split(_NEXT):
            main, where, rest = part.partition(_WHERE)
            clauses |= dict.fromkeys(filter(None, (main, where + rest)))
    return tuple(clause for clause in clauses if _BLANK.sub("", clause).strip(" ;"))


def _message(template: str) -> str:
    return _BLANK.sub(r"%(part\1)s", template.replace("%", "%%"))


@cache
def _patterns(*, short: bool = False) -> Patterns:
    """Each clause as a pattern with its message, the most words first: what fits two is the longer one. Those
    of few words, `short`, are apart: they would fit a sentence of a site's own."""
    ordered = sorted(_templates(), key=lambda template: -len(_BLANK.sub("", template)))
    wanted = (template for template in ordered if short == _is_short(template))
    return tuple((_pattern(template), _message(template)) for template in wanted)


def _is_short(template: str) -> bool:
    letters = re.sub(r"\{\d\}|[^a-z]", "", template)
    return template not in _OTHER and "{" in template and len(letters) < _SHORTEST


def _pattern(template: str) -> re.Pattern[str]:
    seen: set[str] = set()

    def group(match: re.Match[str]) -> str:
        name = f"part{match[1]}"
        if name in seen:
            return f"(?P={name})"
        seen.add(name)
        return f"(?P<{name}>.+?)"

    return re.compile(re.sub(r"\\\{(\d)\\\}", group, re.escape(template)))
