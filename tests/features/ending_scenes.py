"""Positions in which one more centre wins, on every board that has a story; each was worked out by hand from
the rules of its board (`victory` in its variant.toml, docs/rulings)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import maps
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.rules.brittania_realm import Realm
from demo.story import ExpectedOutcome
from tests.features.prepared_play import Scene

WELL = ExpectedOutcome("succeeds", "")
MOVEMENT = PhaseKind.MOVEMENT


@dataclass(frozen=True, slots=True)
class Victory:
    """A scene and its end: who wins, and what each power that has a centre held at first and at last.
    `otherwise`: title of a phase, an order of it, other words for it, the units that would be
    there, and those that would not.
    `secret`: a power, and words that no other reads before the end."""

    scene: Scene
    winners: tuple[str, ...]
    held: Mapping[str, tuple[int, int]]
    otherwise: tuple[str, str, str, str, str]
    secret: tuple[str, str] | None = None


def _centres(board: str, count: int, *but: str) -> list[str]:
    """The first centres of a board by name, without some."""
    return [centre for centre in sorted(maps.load(board).board.centres()) if centre not in but][:count]


def _w3k() -> Victory:
    # VIC-01: 55 centres and a capital of each kingdom. Argyll has 54 with London and Glasgow and takes
    # Belfast, which is both. The army that held it retreats, and victory waits for that (VIC-02).
    others = ("Belfast", "Dublin & the Pale", "Cork", "Inverness", "Edinburgh", "York")
    argyll = ["London", "Glasgow", *_centres("w3k", 52, "London", "Glasgow", *others)]
    return Victory(Scene(
        "w3k", Phase(1642, "Autumn", MOVEMENT),
        {"Argyll": argyll, "Ormond": others[:3], "Montrose": ["Inverness"]},
        {"Argyll": ["A Antrim", "F Irish Sea", "A London"], "Ormond": ["A Belfast", "A Cork"],
         "Montrose": ["A Inverness"]},
        {"Autumn 1642 Movement": {
            "Argyll": {"A Antrim - Belfast": WELL, "F Irish Sea S A Antrim - Belfast": WELL,
                       "A London H": WELL},
            "Ormond": {"A Belfast H": ExpectedOutcome("fails", "dislodged"), "A Cork H": WELL},
            "Montrose": {"A Inverness H": WELL}},
         "Autumn 1642 Retreat": {"Ormond": {"A Belfast R Down": WELL}}}),
        ("Argyll",), {"Argyll": (54, 55), "Ormond": (3, 2), "Montrose": (1, 1)},
        # One against one.
        ("Autumn 1642 Movement", "F Irish Sea S A Antrim - Belfast", "F Irish Sea H",
         "Army Antrim (Argyll), Army Belfast (Ormond)", "Army Belfast (Argyll)"))


def _war1648() -> Victory:
    # Rule 12: 30 centres win, but 35 for the Ottoman Empire: with 34 in June it has not won. In September it
    # has.
    special = maps.load("war1648").board.marked("special")
    ottoman = _centres("war1648", 33, "Bohemia", "Vienna", "Styria", "Paris", "Warsaw", *special)
    return Victory(Scene(
        "war1648", Phase(1618, "May", MOVEMENT),
        {"Ottoman Empire": ottoman, "Austria": ["Bohemia", "Vienna", "Styria"], "France": ["Paris"],
         "Poland": ["Warsaw"]},
        {"Ottoman Empire": ["A Moravia", "A Royal Hungary"], "Austria": ["A Vienna"], "France": ["A Paris"]},
        {"May 1618 Movement": {
            "Ottoman Empire": {"A Moravia - Bohemia": WELL, "A Royal Hungary H": WELL},
            "Austria": {"A Vienna H": WELL}},
         "June 1618 Adjustment": {},
         "July 1618 Movement": {
             "Ottoman Empire": {"A Royal Hungary - Vienna": ExpectedOutcome("fails", "bounced")},
             "Austria": {"A Vienna H": WELL}},
         "August 1618 Movement": {
             "Ottoman Empire": {"A Bohemia S A Royal Hungary - Vienna": WELL,
                                "A Royal Hungary - Vienna": WELL},
             "Austria": {"A Vienna - Moravia": WELL},
             "France": {"A Paris H": WELL}}}),
        ("Ottoman Empire",), {"Ottoman Empire": (33, 35), "Austria": (3, 1), "France": (1, 1),
                              "Poland": (1, 1)},
        # Two against one: it would have been dislodged, and not in Moravia.
        ("August 1618 Movement", "A Vienna - Moravia", "A Vienna H",
         "", "Army Moravia (Austria)"))


def _bretwalda() -> Victory:
    # 26 centres, and more than anybody else.
    mercia = _centres("bretwalda", 25, "Lon", "Cam", "Can", "Yor")
    return Victory(Scene(
        "bretwalda", Phase(621, "Autumn", MOVEMENT),
        {"Mercia": mercia, "East Anglia": ["Lon", "Cam"], "Northumbria": ["Yor"]},
        {"Mercia": ["A Buc"], "East Anglia": ["A Lon"], "Northumbria": ["A Yor"]},
        {"Autumn 621 Movement": {
            "Mercia": {"A Buckingham - London": WELL},
            "East Anglia": {"A London - Cambridge": WELL},
            "Northumbria": {"A York H": WELL}}}),
        ("Mercia",), {"Mercia": (25, 26), "East Anglia": (2, 1), "Northumbria": (1, 1)},
        ("Autumn 621 Movement", "A Buckingham - London", "A Buckingham H",
         "Army Buckingham (Mercia)", "Army London (Mercia)"))


def _britain1066() -> Victory:
    # 24 centres, looked at before builds; one of its fleets is never seen by anybody (D66-06).
    harald = _centres("britain1066", 23, "Yor", "Win", "Lun", "Edw")
    return Victory(Scene(
        "britain1066", Phase(1066, "April", MOVEMENT),
        {"Harald Hardrada": harald, "The Northern Earls": ["Yor"], "Harold Godwinson": ["Win", "Lun"],
         "The Scots": ["Edw"]},
        {"Harald Hardrada": ["A/F Cly", "A/F HG2"], "The Northern Earls": ["A Yor"],
         "Harold Godwinson": ["A Win"], "The Scots": ["A Edw"]},
        {"April 1066 Movement": {
            "Harald Hardrada": {"A/F Clyveland - York": WELL, "A/F Hidden Germanicus 2 H": WELL},
            "The Northern Earls": {"A York - Ripun": WELL},
            "Harold Godwinson": {"A Windesores H": WELL}}}),
        ("Harald Hardrada",), {"Harald Hardrada": (23, 24), "The Northern Earls": (1, 1),
                               "Harold Godwinson": (2, 2), "The Scots": (1, 1)},
        # One against one.
        ("April 1066 Movement", "A York - Ripun", "A York H",
         "Army/Fleet Clyveland (Harald Hardrada), Army York (The Northern Earls)",
         "Army/Fleet York (Harald Hardrada), Army Ripun (The Northern Earls)"),
        ("Harald Hardrada", "Hidden Germanicus 2"))


_RED = ("Essex", "Oxford", "Gloucester", "Glamorgan", "Hereford", "Chester", "Lancaster", "York",
        "Cumberland", "Lothian")


def _empire() -> Victory:
    # WSB-06: a kingdom with seven kingdom-type states and no gap. Red has six of them, and Aberdeen lies
    # next to Perth: 40 and a die of at least 1 against 5, 2 for the king and a die of at most 10.
    return Victory(Scene(
        "brittania", Phase(603, "Harvest", PhaseKind.TURN),
        {"Red": [*_RED, "Fife", "Perth", "Argyll"], "Gold": ["Aberdeen", "Moray"]},
        {"Red": ["K Essex"], "Gold": ["K Aberdeen"]},
        {"Harvest 603 Turn": {
            "Red": {"40 Grain for Conquest of Aberdeen": WELL},
            "Gold": {"5 Grain for Defense of Aberdeen": ExpectedOutcome("fails", "beaten")}}},
        Realm(grain={"Red": 40, "Gold": 5}, capitals={"Red": "Essex", "Gold": "Aberdeen"},
              kingdoms=frozenset({"Red"}))),
        ("Red",), {"Red": (13, 14), "Gold": (2, 1)},
        # No one comes to Aberdeen, and its king stays there.
        ("Harvest 603 Turn", "40 Grain for Conquest of Aberdeen", "40 Grain for Defense of Essex",
         "King Aberdeen (Gold)", "King Moray (Gold)"))


def _allies() -> Victory:
    # WSB-07: two allies with every kingdom-type state and no gaps win together. They ally in the turn in
    # which the tenth, Laighin, is taken.
    return Victory(Scene(
        "brittania", Phase(603, "Harvest", PhaseKind.TURN),
        {"Red": _RED, "Gold": ["Argyll", "Perth", "Aberdeen", "Ui Neill", "Connachta", "Mide"],
         "Teal": ["Laighin", "Osraige"]},
        {"Red": ["K Essex"], "Gold": ["K Mide"], "Teal": ["K Osraige"]},
        {"Harvest 603 Turn": {
            "Gold": {"40 Grain for Conquest of Laighin": WELL, "5 Grain for Alliance with Red": WELL},
            "Red": {"5 Grain for Alliance with Gold": WELL},
            "Teal": {"5 Grain for Defense of Osraige": WELL}}},
        Realm(grain={"Red": 5, "Gold": 45, "Teal": 5},
              capitals={"Red": "Essex", "Gold": "Mide", "Teal": "Osraige"})),
        ("Gold", "Red"), {"Red": (10, 10), "Gold": (6, 7), "Teal": (2, 1)},
        ("Harvest 603 Turn", "40 Grain for Conquest of Laighin", "40 Grain for Defense of Mide",
         "", ""))


VICTORIES = {"w3k": _w3k, "war1648": _war1648, "bretwalda": _bretwalda, "britain1066": _britain1066,
             "an empire": _empire, "two allies": _allies}
