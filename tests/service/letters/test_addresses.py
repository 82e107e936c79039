"""Where a letter reaches a player on a day (LIST-02, LIST-03), and what no envelope can carry."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from service.letters.addresses import (
    BadAddress,
    Postal,
    address_lines,
    addresses_on,
    journey_days,
    name_line,
    overlapping,
)

HOME = Postal(("1 High Street", "Bath"))
LODGE = Postal(("Lodge 7", "Skye"), date(2027, 6, 1), date(2027, 6, 30))
TENT = Postal(("Tent 3", "Mull"), date(2027, 6, 20), date(2027, 7, 20))


@pytest.mark.parametrize(("day", "expected"), [
    (date(2027, 5, 1), (HOME,)),
    (date(2027, 5, 26), (HOME,)),  # six days before
    (date(2027, 5, 27), (HOME, LODGE)),  # LIST-03: five days before the journey both
    (date(2027, 6, 1), (LODGE, HOME)),
    (date(2027, 6, 6), (LODGE, HOME)),
    (date(2027, 6, 7), (LODGE,)),
    (date(2027, 6, 15), (LODGE,)),
    (date(2027, 6, 25), (LODGE, HOME)),
    (date(2027, 6, 30), (LODGE, HOME)),  # the last day is part of the journey
    (date(2027, 7, 5), (HOME, LODGE)),
    (date(2027, 7, 6), (HOME,)),
])  # fmt: skip
def test_a_journey_goes_before_home_and_near_its_ends_both_are_written_to(
    day: date, expected: tuple[Postal, ...]
) -> None:
    """LIST-02, LIST-03."""
    reach = addresses_on((HOME, LODGE), day)
    assert set(reach.addresses) == set(expected)
    assert ("both addresses" in reach.note) == (len(expected) == 2)
    if LODGE.applies_on(day):
        assert reach.addresses[0] == LODGE


def test_where_two_journeys_overlap_each_is_written_to() -> None:
    reach = addresses_on((HOME, LODGE, TENT), date(2027, 6, 24))
    assert {LODGE, TENT} <= set(reach.addresses)
    assert reach.note.startswith("Two journeys overlap")
    assert overlapping((HOME, LODGE), TENT) == LODGE
    assert overlapping((HOME, LODGE), Postal(("x", "y"), date(2027, 7, 1), date(2027, 7, 9))) is None
    assert overlapping((LODGE,), HOME) is None


@pytest.mark.parametrize("known", [
    Postal(("2 Low Street", "Wells"), date(2027, 7, 1)),
    Postal(("2 Low Street", "Wells"), None, date(2027, 6, 25)),
])  # fmt: skip
def test_a_journey_with_one_open_end_overlaps_too(known: Postal) -> None:
    assert overlapping((HOME, known), TENT) == known
    assert overlapping((HOME, TENT), known) == TENT


@pytest.mark.parametrize("known", [
    Postal(("2 Low Street", "Wells"), date(2027, 7, 21)),
    Postal(("2 Low Street", "Wells"), None, date(2027, 6, 19)),
])  # fmt: skip
def test_a_journey_with_one_open_end_leaves_the_day_before_and_after_free(known: Postal) -> None:
    assert overlapping((known,), TENT) is None
    assert overlapping((TENT,), known) is None


def test_of_one_address_alone_nothing_is_posted_to_both() -> None:
    # The journey ends in two days, and no other address is known.
    reach = addresses_on((LODGE,), date(2027, 6, 28))
    assert (reach.addresses, reach.note) == ((LODGE,), "")


def test_who_moves_house_is_written_to_at_both_about_the_day_and_then_at_the_new_one() -> None:
    new = Postal(("2 Low Street", "Wells"), date(2027, 6, 1))
    assert addresses_on((HOME, new), date(2027, 5, 1)).addresses == (HOME,)
    assert set(addresses_on((HOME, new), date(2027, 6, 3)).addresses) == {HOME, new}
    assert addresses_on((HOME, new), date(2028, 1, 1)).addresses == (new,)


def test_nobody_is_reached_without_an_address_and_a_second_one_of_always_gets_a_letter_too() -> None:
    assert addresses_on((), date(2027, 6, 1)).addresses == ()
    two = (HOME, Postal(("The Office", "Bath")))
    assert addresses_on(two, date(2027, 6, 1)).addresses == two
    assert "post to both" in addresses_on(two, date(2027, 6, 1)).note


def test_on_no_day_is_a_player_with_an_address_unreachable_but_away() -> None:
    # More than a year, so that both ends of every journey are among the days.
    for days in range(400):
        day = date(2027, 1, 1) + timedelta(days=days)
        assert addresses_on((HOME, LODGE, TENT), day).addresses


def test_an_address_keeps_its_script_and_loses_what_is_no_letter() -> None:
    # U+202E turns the direction of writing: the rest of the envelope would read backwards.
    assert address_lines("ул. Ленина 5\r\n\r\n 101000   "
                         "Москва\x00\u202e\n") == ("ул. Ленина 5", "101000 Москва")
    assert address_lines("15 Sráid Uí Chonaill\nBaile Átha "
                         "Cliath") == ("15 Sráid Uí Chonaill", "Baile Átha Cliath")
    assert name_line("Ada\r\nLovelace\x07") == "Ada Lovelace"


@pytest.mark.parametrize(("written", "sentence"), [
    ("", "at least two lines"), ("Bath", "at least two lines"), ("\n \n\x00\n", "at least two lines"),
    ("a\n" * 8, "7 lines"), ("x" * 61 + "\nBath", "longer than 60"),
])  # fmt: skip
def test_what_no_envelope_can_carry_is_refused_with_a_sentence(written: str, sentence: str) -> None:
    with pytest.raises(BadAddress, match=sentence):
        address_lines(written)


def test_days_are_read_or_refused() -> None:
    assert journey_days("", "") == (None, None)
    assert journey_days("2027-06-01", "2027-06-30") == (date(2027, 6, 1), date(2027, 6, 30))
    with pytest.raises(BadAddress, match="like 2027-03-14"):
        journey_days("1 June", "")
    with pytest.raises(BadAddress, match="ends before it begins"):
        journey_days("2027-06-30", "2027-06-01")
