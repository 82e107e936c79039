"""Passkeys (SEC-04): a device signs in for its person, and for no one else, at this site alone."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from service.features.passkeys_and_codes import passkeys
from service.games.acts.act import ActTable, perform
from service.games.refused import Refused
from service.store.tables import PasskeyRow, UserRow
from service.web import accounts, sessions
from tests.features.passkeys_and_codes.authenticator import Authenticator, bytes_of, text
from tests.support.desk_site import NAME, OTHER, PASSWORD, DeskSite

SITE = "https://desk.galloper.example"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[DeskSite]:
    desk_site = DeskSite(tmp_path, base_url=SITE)
    yield desk_site
    desk_site.close()


def device(**other: Any) -> Authenticator:
    return Authenticator(**{"origin": SITE, "host": "desk.galloper.example", **other})


def options_of(desk: DeskSite, place: str, **form: str) -> dict[str, Any]:
    answer = desk.client.post(place, data=form)
    assert answer.status_code == 200, answer.text
    options: dict[str, Any] = answer.json()
    return options


def add(desk: DeskSite, key: Authenticator, label: str = "A telephone") -> int:
    """Make a key as the account page does; the status."""
    options = options_of(desk, "/account/passkey/begin", csrf=desk.csrf, password=PASSWORD)
    answer = desk.client.post(
        "/account/passkey", data={"csrf": desk.csrf, "answer": key.make(options), "label": label})
    return int(answer.status_code)


def enter(desk: DeskSite, answer: str) -> int:
    return int(desk.client.post("/sign-in/passkey", data={"answer": answer}).status_code)


def asked(desk: DeskSite) -> dict[str, Any]:
    return options_of(desk, "/sign-in/passkey/begin")


@pytest.fixture
def key(desk: DeskSite) -> Authenticator:
    """The passkey of a person who is signed out again."""
    desk.sign_in()
    authenticator = device()
    assert add(desk, authenticator) == 303
    assert "A telephone" in desk.client.get("/account").text
    desk.client.cookies.clear()
    return authenticator


def test_a_passkey_opens_the_door_once_for_each_question(desk: DeskSite, key: Authenticator) -> None:
    options = asked(desk)
    # A stranger learns of no one who has a key, and the device must check its person.
    assert options["allowCredentials"] == []
    assert options["userVerification"] == "required"
    answer = key.sign(options)
    assert enter(desk, answer) == 303
    assert desk.client.get("/account").status_code == 200
    desk.client.cookies.clear()
    assert enter(desk, answer) == 401  # what was caught on the way opens nothing
    assert desk.client.get("/account", follow_redirects=False).status_code == 303


@pytest.mark.parametrize(
    ("case", "change"),
    [
        ("an imitation of the page", {"origin": "https://desk.ga1loper.example"}),
        ("the same name without encryption", {"origin": "http://desk.galloper.example"}),
        ("a key of another site", {"host": "galloper.example"}),
        ("a device that did not check its person", {"verifies": False}),
        ("a copy of the key, which counts from its own start", {"count": 0}),
        ("another key under this one's name", {"key": device().key}),
        ("a key that nobody added", {"id": b"nobody's key...."}),
    ],
)
def test_what_is_not_the_persons_key_at_this_site_opens_nothing(
    desk: DeskSite, key: Authenticator, case: str, change: dict[str, Any]
) -> None:
    key.count = 5
    assert enter(desk, key.sign(asked(desk))) == 303
    desk.client.cookies.clear()
    for name, value in change.items():
        setattr(key, name, value)
    assert enter(desk, key.sign(asked(desk))) == 401, case


def test_an_answer_to_another_question_or_too_late_opens_nothing(desk: DeskSite, key: Authenticator) -> None:
    assert enter(desk, key.sign({"challenge": text(bytes(64))})) == 401
    late = key.sign(asked(desk))
    desk.clock.set(desk.clock.now() + passkeys.LASTS + timedelta(seconds=1))
    assert enter(desk, late) == 401
    # Asked in order to add a key: no answer at the door.
    desk.sign_in()
    options = options_of(desk, "/account/passkey/begin", csrf=desk.csrf, password=PASSWORD)
    assert enter(desk, key.sign(options)) == 401
    # A wrong answer uses its question up.
    options = asked(desk)
    assert enter(desk, device(id=key.id).sign(options)) == 401
    assert enter(desk, key.sign(options)) == 401


def test_damaged_answers_are_refused_in_words(desk: DeskSite, key: Authenticator) -> None:
    whole = json.loads(key.sign(asked(desk)))
    spoilt: list[Any] = ["", "{}", "[]", "[" * 9000, '{"id": 1}', json.dumps({**whole, "id": None})]
    spoilt += [json.dumps({**whole, "response": {**whole["response"], name: value}})
               for name in whole["response"] for value in ("", "!", "A" * 3000, 7, text(b"\xff" * 40))]
    # A right question with the rest cut off at any place.
    for length in range(0, 37, 6):
        data = bytes_of(whole["response"]["authenticatorData"])[:length]
        answer = json.loads(key.sign(asked(desk)))
        answer["response"]["authenticatorData"] = text(data)
        spoilt.append(json.dumps(answer))
    assert {enter(desk, answer) for answer in spoilt} <= {401, 400, 422}
    desk.sign_in()
    options = options_of(desk, "/account/passkey/begin", csrf=desk.csrf, password=PASSWORD)
    for answer in (*spoilt[:6], device().make(options)[:-40]):
        sent = desk.client.post("/account/passkey", data={"csrf": desk.csrf, "answer": answer})
        assert sent.status_code in {400, 422}


@pytest.mark.parametrize(
    "body", [b"[" * 100_000, b'{"acts":' * 50_000, b'{"acts":[{"line":NaN}]}', b"", b"null"])
def test_a_body_of_a_script_opens_nothing(desk: DeskSite, body: bytes) -> None:
    """Brackets without end, what is not a number, nothing at all."""
    answer = desk.client.post(
        "/sign-in/passkey", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 400
    assert "othing was changed" in answer.text


def test_a_browser_that_was_left_behind_adds_no_key(desk: DeskSite) -> None:
    desk.sign_in()

    def begin(**form: str) -> int:
        return int(desk.client.post("/account/passkey/begin", data=form).status_code)

    assert begin(password=PASSWORD) == 403  # a form of another site
    assert Counter(begin(csrf=desk.csrf, password=f"guess {number}") for number in range(9)) == {
        400: 5, 429: 4}
    assert begin(csrf=desk.csrf, password=PASSWORD) == 429  # and a right one not before the pause ends


def test_a_key_of_one_person_is_never_added_for_another(desk: DeskSite, key: Authenticator) -> None:
    desk.second_reader()
    with desk.store.begin() as session:
        session.get_one(UserRow, OTHER).password = session.get_one(UserRow, NAME).password
    options = options_of(desk, "/account/passkey/begin", csrf=desk.csrf, password=PASSWORD)
    answer = desk.client.post("/account/passkey", data={"csrf": desk.csrf, "answer": key.make(options)})
    assert answer.status_code == 400


def test_a_key_ends_with_its_removal_a_new_password_and_its_person(
    desk: DeskSite, key: Authenticator
) -> None:
    assert enter(desk, key.sign(asked(desk))) == 303
    other = device()
    desk.sign_in()
    assert add(desk, other, "A security key") == 303
    with desk.store.begin() as session:
        removed = passkeys.form_key(session.get_one(PasskeyRow, text(key.id)))
    assert desk.post("/account/passkey/remove", key=removed).status_code == 303
    assert desk.post("/account/passkey/remove", key=removed).status_code == 404
    desk.client.cookies.clear()
    assert enter(desk, key.sign(asked(desk))) == 401
    assert enter(desk, other.sign(asked(desk))) == 303
    desk.client.cookies.clear()
    with desk.store.begin() as session:
        sessions.add_user(session, NAME, "another password", desk.clock.now())
    assert enter(desk, other.sign(asked(desk))) == 401
    with desk.store.begin() as session:
        sessions.add_user(session, "Bess", "another password", desk.clock.now())
        session.add(PasskeyRow(
            id="x", user="Bess", public_key="", count=0, label="", made_at=desk.clock.now()))
        session.flush()
        perform(accounts.RemovePerson("Bess"), ActTable(session, NAME, desk.clock.now()))
        assert session.scalars(select(PasskeyRow)).all() == []


def test_strangers_who_ask_and_ask_are_told_to_wait_and_keep_nobody_out(
    desk: DeskSite, key: Authenticator
) -> None:
    def begin(_number: int, address: str = "203.0.113.7") -> int:
        answer = desk.browser_at(address).post("/sign-in/passkey/begin")
        return int(answer.status_code)

    with ThreadPoolExecutor(30) as pool:
        assert Counter(pool.map(begin, range(60))) == {200: 20, 429: 40}
    assert begin(0, "203.0.113.8") == 200
    # And the other way: anyone who is kept from the password by a storm still has the key.
    for number in range(30):
        desk.browser_at(f"198.51.100.{number}").post("/sign-in", data={"name": NAME, "password": "a guess"})
    assert enter(desk, key.sign(asked(desk))) == 303


def test_keys_work_where_the_settings_name_the_site(desk: DeskSite) -> None:
    """The name in a request is the client's word: an imitation could forward its own."""
    assert passkeys.place_of("", "http://localhost:8000/", "Desk").origin == "http://localhost:8000"
    with pytest.raises(Refused, match="base_url"):
        passkeys.place_of("", "https://desk.ga1loper.example/", "Desk")


def test_a_site_that_names_no_address_says_so_and_takes_the_password(tmp_path: Path) -> None:
    desk = DeskSite(tmp_path)
    answer = desk.client.post("/sign-in/passkey/begin")
    assert answer.status_code == 409  # no fault of the site's: the walk over all routes came upon a 503
    assert "The password works as before." in answer.text
    desk.close()
