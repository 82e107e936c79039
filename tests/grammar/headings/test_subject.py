"""Subject lines to headings: the handbook's two patterns, thirty mutations, mended names, and what is
refused."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, strategies as st

from adjudicator.calendar import PhaseKind
from grammar.headings.subject import parse_subject
from grammar.headings.tokens import clean_line, drop_prefixes
from grammar.headings.values import Heading, HeadingCode, HeadingComplaint, KnownGame, KnownPower

POWERS = (
    KnownPower("Montrose", ("James Graham",)),
    KnownPower("Argyll", ("Archibald Campbell",)),
    KnownPower("Crown", ("The Crown", "Charles Stuart")),
    KnownPower("Newcastle", ("William Cavendish",)),
    KnownPower("Manchester", ("Edward Montagu",)),
    KnownPower("Hamilton", ("James Hamilton",)),
    KnownPower("Ormond", ("James Butler",)),
    KnownPower("Confederacy", ("Irish Confederacy",)),
)
GAMES = (
    KnownGame("Powick Bridge", powers=POWERS),
    KnownGame("Edgehill", powers=POWERS),
    KnownGame("Siege of Ashby-de-la-Zouch", aliases=("Ashby",), powers=POWERS),
)


def heading(subject: str, games: tuple[KnownGame, ...] = GAMES) -> Heading:
    parsed = parse_subject(subject, games)
    assert isinstance(parsed, Heading), parsed
    return parsed


def complaint(subject: str, games: tuple[KnownGame, ...] = GAMES) -> HeadingComplaint:
    parsed = parse_subject(subject, games)
    assert isinstance(parsed, HeadingComplaint), parsed
    return parsed


def routing(parsed: Heading) -> tuple[str | None, str | None, str | None, int | None, PhaseKind | None]:
    return (parsed.game, parsed.power, parsed.season, parsed.year, parsed.kind)


EXPECTED = ("Powick Bridge", "Montrose", "Autumn", 1644, PhaseKind.RETREAT)

SAME_ROUTING = [
    "Powick Bridge - Montrose - Autumn, 1644 - Retreat Orders - v1",
    "Powick Bridge, Montrose, Autumn 1644 Retreats, v1",
    "POWICK BRIDGE, MONTROSE, AUTUMN 1644 RETREATS, V1",
    "powick bridge, montrose, autumn 1644 retreats, v1",
    "Powick Bridge,Montrose,Autumn 1644 Retreats,v1",
    "Powick Bridge ,  Montrose ,Autumn  1644   Retreats ,   v1",
    "Powick Bridge – Montrose – Autumn, 1644 – Retreat Orders – v1",
    "Powick Bridge — Montrose — Autumn 1644 — Retreat — v1",
    "Powick Bridge—Montrose—Autumn 1644—Retreat—v1",
    "Powick Bridge -- Montrose -- Autumn 1644 -- Retreats -- v1",
    "Powick Bridge-Montrose-Autumn-1644-Retreats-v1",
    "Powick Bridge/Montrose/Autumn 1644/Retreats/v1",
    "Powick Bridge; Montrose; Autumn 1644; Retreats; v1",
    "Powick Bridge: Montrose: Autumn 1644: Retreats: v1",
    "Powick Bridge | Montrose | Autumn 1644 | Retreats | v1",
    "Powick Bridge Montrose Autumn 1644 Retreats v1",
    "Re: Powick Bridge, Montrose, Autumn 1644 Retreats, v1",
    "RE[2]: Powick Bridge, Montrose, Autumn 1644 Retreats, v1",
    "Fwd: FW: re: Powick Bridge, Montrose, Autumn 1644 Retreats, v1",
    "AW: WG: SV: TR: RV: Antw: Powick Bridge, Montrose, Autumn 1644 Retreats, v1",
    "[w3k-orders] Re: [w3k-orders] Powick Bridge, Montrose, Autumn 1644 Retreats, v1",
    "[EXTERNAL] Powick Bridge, Montrose, Autumn 1644 Retreats, v1",
    "EXTERNAL: Powick Bridge, Montrose, Autumn 1644 Retreats, v1",
    "Powick Bridge, Montrose, Fall 1644 Retreats, v1",
    "Powick Bridge, Montrose, Fall, 1644 Retreat Order, v1",
    "Montrose, Powick Bridge, Autumn 1644 Retreats, v1",
    "v1, Retreats, 1644 Autumn, Montrose, Powick Bridge",
    "Powick Bridge, James Graham, Autumn 1644 Retreats, v1",
    "Powick Bridge, Montrose's retreat orders, Autumn 1644, version 1",
    "Game: Powick Bridge; Power: Montrose; Season: Autumn 1644; Type: Retreats; Version: 1",
    "Powick\u00a0Bridge, Montrose, Autumn\u20091644 Retreats, Ｖ１",
    "Powick Bridge, Montrose, Autumn1644Retreats, ver.1",
    "\u201cPowick Bridge\u201d, Montrose (Autumn 1644), Retreats, v. 1",
]


@pytest.mark.parametrize("subject", SAME_ROUTING)
def test_mutations_route_alike(subject: str) -> None:
    """SUBJ-01, SUBJ-02: the first two are the patterns, the second in the handbook's own example. G14,
    SUBJ-04: separators, case, order of fields, prefixes and tags. Q-05: Fall."""
    parsed = heading(subject)
    assert routing(parsed) == EXPECTED
    assert parsed.version == 1
    assert parsed.flags == frozenset()


@pytest.mark.parametrize(
    ("written_version", "version", "trailing"),
    [
        ("v1", 1, ""),
        ("V12", 12, ""),
        ("v.3", 3, ""),
        ("v 3", 3, ""),
        ("ver 4", 4, ""),
        ("Version 5", 5, ""),
        ("version: 6", 6, ""),
        ("version no. 7", 7, ""),
        ("version seven", 7, ""),
        ("v007", 7, ""),
        ("v0", 0, ""),
        ("v2 final", 2, "final"),
        ("v2.", 2, ""),
        ("v2 (replaces v1, agreed with Argyll)", 2, "replaces v1, agreed with Argyll)"),
        ("v3, please ignore the Spring ones", 3, "please ignore the Spring ones"),
    ],
)
def test_versions(written_version: str, version: int | None, trailing: str) -> None:
    parsed = heading(f"Powick Bridge, Montrose, Autumn 1644 Retreats, {written_version}")
    assert (parsed.version, parsed.trailing) == (version, trailing)
    assert ("trailing_text" in parsed.flags) == bool(trailing)
    assert ("version_missing" in parsed.flags) == (version is None)
    assert routing(parsed) == EXPECTED


def test_a_missing_version_is_flagged() -> None:
    parsed = heading("Powick Bridge, Montrose, Autumn 1644 Retreats")
    assert (parsed.version, parsed.flags) == (None, frozenset({"version_missing"}))


@pytest.mark.parametrize(
    ("written_kind", "kind"),
    [
        ("Autumn 1644 Movement Orders", PhaseKind.MOVEMENT),
        ("Autumn 1644 Movements", PhaseKind.MOVEMENT),
        ("Autumn 1644 Moves", PhaseKind.MOVEMENT),
        ("Autumn 1644 Retreat", PhaseKind.RETREAT),
        ("Autumn 1644 - Retreats Order", PhaseKind.RETREAT),
        ("Winter 1645 Adjustment Orders", PhaseKind.ADJUSTMENT),
        ("Winter 1645 Adjustments", PhaseKind.ADJUSTMENT),
        ("Winter 1645 Builds", PhaseKind.ADJUSTMENT),
        ("Winter 1645", PhaseKind.ADJUSTMENT),
        ("Winter 1645 Orders", PhaseKind.ADJUSTMENT),
        ("Winter 1645 Retreats", PhaseKind.RETREAT),
        ("Autumn 1644 Orders", None),
    ],
)
def test_submission_types(written_kind: str, kind: PhaseKind | None) -> None:
    """SUBJ-03."""
    assert heading(f"Edgehill, Argyll, {written_kind}, v1").kind is kind


@pytest.mark.parametrize(
    ("subject", "flags"),
    [
        (
            "Powik Brigde, Newcaste, Autum 1644 Retreats, v5",
            {"game_corrected", "power_corrected", "season_corrected"},
        ),
        (
            "Powik Brigde Newcaste Autum 1644 Retreats v5",
            {"game_corrected", "power_corrected", "season_corrected"},
        ),
        (
            "Newcaste, Powik Brigde, Autum 1644 Retreats, v5",
            {"game_corrected", "power_corrected", "season_corrected"},
        ),
        ("Powick, Newcastle, Autumn 1644 Retreats, v5", {"game_corrected"}),
        ("PowickBridge, Newcastle, Autumn 1644 Retreats, v5", {"game_corrected"}),
        ("Powick Bridge, Cavendish, Autumn 1644 Retreats, v5", {"power_corrected"}),
        ("Powick Bridge, Newcastel, Autumn 1644 Retreats, v5", {"power_corrected"}),
        ("Powick Bridge, Newcastle, Automne 1644 Retreats, v5", {"season_corrected"}),
        ("Powick Bridge, Newcastle, Aut 1644 Retreats, v5", {"season_corrected"}),
        ("Powick Bridge, Newcastle, Autumn 1644 Retreets, v5", {"type_corrected"}),
        ("Powick Bridge Rematch, Newcastle, Autumn 1644 Retreats, v5", {"game_corrected"}),
    ],
)
def test_one_clear_candidate_is_mended_and_flagged(subject: str, flags: set[str]) -> None:
    parsed = heading(subject)
    assert routing(parsed) == ("Powick Bridge", "Newcastle", "Autumn", 1644, PhaseKind.RETREAT)
    assert parsed.flags == flags


@pytest.mark.parametrize(
    ("power", "candidates"),
    [
        ("James", {"Montrose", "Hamilton", "Ormond"}),
        ("Montrose and Argyll", {"Montrose", "Argyll"}),
        ("Newchester", {"Newcastle", "Manchester"}),
        ("Manchrose", {"Montrose", "Manchester"}),
    ],
)
def test_two_near_powers_are_ambiguous(power: str, candidates: set[str]) -> None:
    parsed = complaint(f"Powick Bridge, {power}, Autumn 1644 Retreats, v1")
    assert parsed.code is HeadingCode.AMBIGUOUS_POWER
    assert set(parsed.candidates) == candidates
    assert parsed.partial.game == "Powick Bridge"


def test_a_slip_is_likelier_behind_the_first_letter() -> None:
    towns = (KnownGame("Edgehill", powers=(KnownPower("Lanchester"), KnownPower("Manchester"))),)
    assert heading("Edgehill, Lanchister, Autumn 1644 Retreats, v1", towns).power == "Lanchester"


def test_two_near_games_are_ambiguous_but_an_exact_one_is_not() -> None:
    games = (*GAMES, KnownGame("Powick Ridge", powers=POWERS), KnownGame("Edgehill II", powers=POWERS))
    assert complaint("Powick, Montrose, Autumn 1644 Retreats", games).code is HeadingCode.AMBIGUOUS_GAME
    assert complaint("Powick Brdge, Montrose, Autumn 1644 Retreats", games).code is HeadingCode.AMBIGUOUS_GAME
    assert heading("Powick Bridge, Montrose, Autumn 1644 Retreats", games).game == "Powick Bridge"
    assert heading("Edgehill, Montrose, Autumn 1644 Retreats", games).game == "Edgehill"
    assert heading("Edgehill II, Montrose, Autumn 1644 Retreats", games).game == "Edgehill II"


@pytest.mark.parametrize(
    ("subject", "code", "missing"),
    [
        ("", HeadingCode.SUBJECT_UNPARSED, ("game", "power", "season", "type")),
        ("Hello from the seaside", HeadingCode.SUBJECT_UNPARSED, ("game", "power", "season", "type")),
        ("Montrose, Autumn 1644 Retreats, v1", HeadingCode.SUBJECT_UNPARSED, ("game",)),
        ("Orders: Montrose, Autumn 1644 Retreats, v1", HeadingCode.SUBJECT_UNPARSED, ("game",)),
        ("Montrose, Autumn 1644 Retreats, v1 final", HeadingCode.SUBJECT_UNPARSED, ("game",)),
        ("Powick Bridge, Autumn 1644 Retreats, v1", HeadingCode.SUBJECT_UNPARSED, ("power",)),
        ("Powick Bridge, Montrose, 1644 Retreats, v1", HeadingCode.SUBJECT_UNPARSED, ("season",)),
        ("Powick Bridge, Montrose, Autumn 1644, v1", HeadingCode.SUBJECT_UNPARSED, ("type",)),
        ("Powick Bridge, Montrose, Autumn 16444 Retreats, v1", HeadingCode.SUBJECT_UNPARSED, ("year",)),
        ("Powick Bridge, Montrose, Autumn 1643 1644 Retreats", HeadingCode.SUBJECT_UNPARSED, ("year",)),
        (
            "Powick Bridge, Montrose, Autumn 1644 Movement and Retreats",
            HeadingCode.SUBJECT_UNPARSED,
            ("type",),
        ),
        ("Naseby, Montrose, Autumn 1644 Retreats, v1", HeadingCode.UNKNOWN_GAME, ()),
        ("Marching Bridge, Montrose, Autumn 1644 Retreats, v1", HeadingCode.UNKNOWN_GAME, ()),
        ("Naseby - Montrsoe - Autumn 1644 Retreats", HeadingCode.UNKNOWN_GAME, ()),
        ("Naseby –Montrsoe– Autumn 1644 Retreats", HeadingCode.UNKNOWN_GAME, ()),
        ("Naseby, Xanadu, Autumn 1644 Retreats, v1", HeadingCode.UNKNOWN_GAME, ()),
        ("Powick Bridge, Xanadu, Autumn 1644 Retreats, v1", HeadingCode.UNKNOWN_POWER, ()),
        ("Powick Bridge, Lancaster, Autumn 1644 Retreats, v1", HeadingCode.UNKNOWN_POWER, ()),
    ],
)
def test_refused(subject: str, code: HeadingCode, missing: tuple[str, ...]) -> None:
    parsed = complaint(subject)
    assert (parsed.code, parsed.missing) == (code, missing)
    assert parsed.message


def test_a_missing_year_is_left_open() -> None:
    """SUBJ-06: for the sheet, and then the open phase, to say."""
    parsed = heading("Powick Bridge, Montrose, Autumn Retreats, v1")
    assert routing(parsed) == ("Powick Bridge", "Montrose", "Autumn", None, PhaseKind.RETREAT)


@pytest.mark.parametrize("dash", [" - ", " – ", ", ", "-"])
def test_hyphens_inside_a_name_do_not_split_it(dash: str) -> None:
    """SUBJ-05."""
    fields = ("Siege of Ashby-de-la-Zouch", "Crown", "Spring 1643", "Movement", "v1")
    parsed = heading(dash.join(fields))
    assert (parsed.game, parsed.power, parsed.flags) == ("Siege of Ashby-de-la-Zouch", "Crown", frozenset())


def test_a_name_may_be_both_a_game_and_a_power() -> None:
    games = (*GAMES, KnownGame("Newcastle", powers=POWERS), KnownGame("Newcastle Nights", powers=POWERS))
    assert heading("Edgehill, Newcastle, Spring 1643 Movement", games).game == "Edgehill"
    parsed_heading = heading("Newcastle Nights, Newcastle, Spring 1643 Movement", games)
    assert (parsed_heading.game, parsed_heading.power) == ("Newcastle Nights", "Newcastle")
    assert heading("Newcastle Nights, Montrose, Spring 1643 Movement", games).power == "Montrose"
    named_like_a_power = heading("Newcastle, Montrose, Spring 1643 Movement, v1", games)
    assert (named_like_a_power.game, named_like_a_power.power) == ("Newcastle", "Montrose")
    assert named_like_a_power.flags == frozenset()


def test_powers_of_another_variant_do_not_count_in_this_game() -> None:
    saxon = KnownGame("Bretwalda One", powers=(KnownPower("Mercia"), KnownPower("Wessex")))
    parsed = complaint("Powick Bridge, Mercia, Autumn 1644 Retreats", (*GAMES, saxon))
    assert parsed.code is HeadingCode.UNKNOWN_POWER
    assert heading("Bretwalda One, Mercia, Autumn 624 Retreats", (*GAMES, saxon)).year == 624


def test_a_name_that_looks_like_a_version_is_no_version() -> None:
    games = (*GAMES, KnownGame("Henry V 2", powers=POWERS))
    parsed = heading("Henry V 2, Montrose, Autumn 1644 Retreats, v3", games)
    assert (parsed.game, parsed.version, parsed.flags) == ("Henry V 2", 3, frozenset())


def test_seasons_are_the_variants_own() -> None:
    steps = (("April", PhaseKind.MOVEMENT), ("June", PhaseKind.ADJUSTMENT))
    war = (KnownGame("White Mountain", powers=(KnownPower("Sweden"),), steps=steps),)
    assert heading("White Mountain, Sweden, April 1618 Movement, v1", war).season == "April"
    assert heading("White Mountain, Sweden, June 1618, v1", war).kind is PhaseKind.ADJUSTMENT
    assert "season" in complaint("White Mountain, Sweden, Autumn 1618 Movement", war).missing
    # The number of a name is not a day of the month behind it.
    numbered = (KnownGame("Table 7", powers=(KnownPower("Sweden"),), steps=steps),)
    parsed = heading("Sweden, Table 7, April 1618 Movement, v1", numbered)
    assert (parsed.season, parsed.year) == ("April", 1618)


PREFIXES = [
    "Re: ",
    "RE[3]: ",
    "Fwd:",
    "fw : ",
    "AW: ",
    "WG: ",
    "[list] ",
    "[EXT] ",
    "SV: ",
    "Antw: ",
    "(External) ",
]
SEPARATORS = [", ", " - ", " – ", "; ", " / ", " | ", ",", " — "]


@given(
    st.lists(st.sampled_from(PREFIXES), max_size=4),
    st.permutations(["Powick Bridge", "Montrose", "Autumn 1644", "Retreat Orders", "v3"]),
    st.lists(st.sampled_from(SEPARATORS), min_size=4, max_size=4),
    st.sampled_from([str.lower, str.upper, str.title, str.swapcase]),
)
def test_order_separators_prefixes_and_case_do_not_matter(
    prefixes: list[str], fields: list[str], separators: list[str], case: object
) -> None:
    """SUBJ-04."""
    assert callable(case)
    line = "".join(itertools.chain.from_iterable(zip(fields, [*separators, ""], strict=True)))
    parsed = heading("".join(prefixes) + case(line))
    assert routing(parsed) == EXPECTED
    assert (parsed.version, parsed.flags) == (3, frozenset())


@given(
    st.integers(0, 12),
    st.sampled_from("abcdefghijklmnopqrstuvwxyz"),
    st.sampled_from(["swap", "drop", "double", "change"]),
)
def test_one_slip_of_the_pen_in_the_game_is_mended(index: int, letter: str, slip: str) -> None:
    name = "Powick Bridge"
    written = {
        "swap": name[:index] + name[index + 1 : index + 2] + name[index : index + 1] + name[index + 2 :],
        "drop": name[:index] + name[index + 1 :],
        "double": name[: index + 1] + name[index:],
        "change": name[:index] + letter + name[index + 1 :],
    }[slip]
    assert routing(heading(f"{written}, Montrose, Autumn 1644 Retreats, v1")) == EXPECTED


@given(st.text(max_size=200))
def test_any_text_gives_a_heading_or_a_complaint(subject: str) -> None:
    parsed = parse_subject(subject, GAMES)
    assert isinstance(parsed, Heading | HeadingComplaint)
    if isinstance(parsed, Heading):
        assert None not in {parsed.game, parsed.power, parsed.season}


@given(st.text(alphabet="PowickBridge,MontroseAutumn1644Retreatsv -–[]():.", max_size=120))
def test_near_subjects_never_name_what_is_not_known(subject: str) -> None:
    parsed = parse_subject(subject, GAMES)
    partial = parsed if isinstance(parsed, Heading) else parsed.partial
    assert partial.game in {None, *(game.name for game in GAMES)}
    assert partial.power in {None, *(power.name for power in POWERS)}


def test_prefixes_are_dropped_only_in_front() -> None:
    assert drop_prefixes("Re: RE[2]: [tag] [EXTERNAL] Fwd: the rest Re: stays") == "the rest Re: stays"
    assert drop_prefixes("Retreat: orders") == "Retreat: orders"
    assert drop_prefixes("External affairs, Montrose") == "External affairs, Montrose"
    assert clean_line("a\r\n\tb\u2028c\u200b d") == "a b c d"


def test_a_very_long_subject_is_read_at_its_beginning_and_soon() -> None:
    parsed = heading("Powick Bridge, Montrose, Autumn 1644 Retreats, v1 " + "(" * 50_000)
    assert routing(parsed) == EXPECTED
    assert complaint("x, " * 50_000).code is HeadingCode.SUBJECT_UNPARSED
