"""A board's house rules, which results cite, for anyone to read."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import groupby

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response

import maps
from service.games.rulings import rules_of
from service.letters.language import N_, language
from service.public.page import language_of, show
from service.web.access import PUBLIC

router = APIRouter(dependencies=[PUBLIC])
UNKNOWN = N_("There are no house rules for such a board here. Check the address in your letters.")


@router.get("/public/rules/{slug}")
def page(request: Request, slug: str) -> Response:
    """Questions that the printed rules leave open, each with the answer that is played."""
    rules = rules_of(slug)
    if not rules:
        raise HTTPException(404, UNKNOWN)
    reader = language(language_of(request))

    def words(text: str) -> str:
        return curly(reader.say(message(text))) if text else ""

    parts = [
        (words(section), [(anchor(rule.name), replace(rule, name=words(rule.name), text=words(rule.text),
                                                      answer=words(rule.answer))) for rule in group])
        # groupby joins neighbours only: the rules come in the order of their sections.
        for section, group in groupby(rules, lambda rule: rule.section)
    ]
    return show(request, "rules.html", board=maps.load(slug).title, parts=parts, cache="max-age=3600")


def message(text: str) -> str:
    """A part of a rule as the catalogues have it: per cent signs are not blanks."""
    return text.replace("%", "%%")


def curly(text: str) -> str:
    """The text with typographic quotation marks and apostrophes, as the rest of the page has them."""
    return re.sub(r'"([^"]*)"', r"“\1”", text).replace("'", "’")


def anchor(name: str) -> str:
    """The fragment of an address (after "#") for a rule's name."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
