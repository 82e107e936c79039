"""One mailbox has one author, however its provider lets it be spelled (ARR-06)."""

from __future__ import annotations

import pytest

from service.store.addresses import author_mark, folded_address

SAME = [
    ("marie.rich@gmail.com", "MarieRich@googlemail.com"), ("m.r@gmail.com", "mr+orders@gmail.com"),
    ("m.rich@icloud.com", "m.rich@me.com"), ("m.rich@me.com", "M.Rich@mac.com"),
    ("x@outlook.com", "x+galloper@outlook.com"), ("x@proton.me", "x+y@proton.me"),
    ("x@müller.example", "x@XN--MLLER-KVA.example"),
]
OTHER = [
    # The same name at two providers, or at two domains of one that parts them.
    ("x@hotmail.com", "x@outlook.com"), ("x@proton.me", "x@protonmail.com"), ("x@gmail.com", "x@icloud.com"),
    # Google serves these domains, and dots count there.
    ("m.rich@quill.example", "mrich@quill.example"), ("m.rich@icloud.com", "mrich@icloud.com"),
    ("m.rich@outlook.com", "mrich@outlook.com"),
    # A provider that does not document tags.
    ("x@quill.example", "x+y@quill.example"), ("x@me.com", "x+y@me.com"),
    ("x@gmail.com", "x@gmail.com.example"), ("x@gmail.com", "x@notgmail.com"),
]


@pytest.mark.parametrize(("spelling", "another"), SAME)
def test_spellings_of_one_mailbox(spelling: str, another: str) -> None:
    assert folded_address(spelling) == folded_address(another)
    assert author_mark(spelling) == author_mark(another)


@pytest.mark.parametrize(("spelling", "another"), OTHER)
def test_different_people(spelling: str, another: str) -> None:
    assert folded_address(spelling) != folded_address(another)


@pytest.mark.parametrize("odd", ["+x@gmail.com", "...@gmail.com", "@gmail.com", "gmail.com", ""])
def test_what_is_hardly_an_address_folds_to_itself_alone(odd: str) -> None:
    assert folded_address(odd) != folded_address("x@gmail.com")
