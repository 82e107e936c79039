"""A site's folder: the settings file that `init` writes, and how it is read."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import templates
from service.config import ConfigError, MailIn, MailOut, ReaderSettings, Web
from service.site_folder import SiteError, settings_of, write_settings
from service.store.addresses import is_address

TEMPLATE = Path(templates.__file__).parent / "site" / "galloper.toml"


def test_the_file_that_is_written_can_be_read_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "site"
    assert write_settings(folder) == folder / "galloper.toml"
    settings = settings_of(folder, {})
    assert settings.data == str(folder / "data")
    assert settings.mail_in.host == "imap.example.org"


def test_only_its_owner_may_read_it(tmp_path: Path) -> None:
    assert write_settings(tmp_path).stat().st_mode & 0o777 == 0o600


def test_a_file_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    path = write_settings(tmp_path)
    path.write_text("mine")
    with pytest.raises(SiteError, match="exists already"):
        write_settings(tmp_path)
    assert path.read_text() == "mine"


def test_a_file_in_the_place_of_the_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "site").write_text("")
    with pytest.raises(SiteError, match=r"site"):
        write_settings(tmp_path / "site")
    with pytest.raises(SiteError, match=r"cannot be written"):
        write_settings(tmp_path / "site" / "deeper")


def test_the_remarks_name_real_settings_with_their_defaults() -> None:
    """A line such as `# port = 8642` must show what counts without it."""
    shown_settings: dict[str, dict[str, Any]] = {}
    table = ""
    for line in TEMPLATE.read_text("utf-8").splitlines():
        if opened := re.match(r"\[(\w+)\]", line):
            table = opened[1]
        elif table and re.match(r"# \w+ = ", line):
            shown_settings.setdefault(table, {}).update(tomllib.loads(line.removeprefix("# ")))
    assert set(shown_settings) == {"mail_in", "mail_out", "reader", "web"}
    # Examples: by default there is none, and TOML has no way to write that. Their remarks say so.
    assert shown_settings["web"].pop("base_url")
    assert shown_settings["reader"].pop("accepted_wrong_share") == 0.01
    assert ReaderSettings().accepted_wrong_share is None
    assert re.search(r"(?m)^# accepted_wrong_share = .*\(none unless set\)$", TEMPLATE.read_text("utf-8"))
    for name, part in (
        ("mail_in", MailIn()),
        ("mail_out", MailOut(sender="x")),
        ("reader", ReaderSettings()),
        ("web", Web()),
    ):
        for key, value in shown_settings[name].items():
            default = getattr(part, key)
            assert (list(default) if isinstance(default, tuple) else default) == value, f"{name}.{key}"


def _written(folder: Path, **changes: str) -> Path:
    text = TEMPLATE.read_text("utf-8")
    for old, new in changes.items():
        pattern = rf"(?m)^{old} = .*$"
        assert re.search(pattern, text), old
        text = re.sub(pattern, f"{old} = {new}", text)
    (folder / "galloper.toml").write_text(text, "utf-8")
    return folder


def test_paths_begin_at_the_folder_wherever_the_program_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "site").mkdir()
    monkeypatch.chdir(tmp_path)
    text = TEMPLATE.read_text("utf-8").replace('kind = "imap"', 'kind = "maildir"\npath = "box"')
    text = text.replace('kind = "smtp"', 'kind = "folder"\npath = "/var/outbox"')
    (tmp_path / "site" / "galloper.toml").write_text(text, "utf-8")
    settings = settings_of(Path("site"), {})
    assert settings.data == str(tmp_path / "site" / "data")
    assert settings.mail_in.path == str(tmp_path / "site" / "box")
    assert settings.mail_out.path == "/var/outbox"
    assert settings.database_url == f"sqlite:///{tmp_path}/site/data/galloper.sqlite"


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("coordinator", '"ada"', "coordinator: 'ada' is not a mail address"),
        ("order_address", '""', "order_address: '' is not a mail address"),
        ("order_address", '"Orders <o@example.org>"', ("order_address: 'Orders <o@example.org>' is not a "
                                                       "mail address")),
        ("sender", '"Galloper"', "mail_out.sender: 'Galloper' must be like"),
        ("port", '"x"', "mail_in.port"),
    ],
)
def test_what_cannot_be_used_is_told_by_its_setting(tmp_path: Path, key: str, value: str,
        message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        settings_of(_written(tmp_path, **{key: value}), {})
    assert message in str(caught.value)
    assert str(tmp_path / "galloper.toml") in str(caught.value)


def test_a_maildir_and_a_folder_need_their_paths(tmp_path: Path) -> None:
    environment = {"GALLOPER_MAIL_IN__KIND": "maildir", "GALLOPER_MAIL_OUT__KIND": "folder"}
    with pytest.raises(ConfigError, match=r"mail_in\.path.*mail_out\.path"):
        settings_of(_written(tmp_path), environment)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: path.mkdir(), "cannot be read"),
        (lambda path: path.write_bytes(b'data = "\xff"\n'), "is not UTF-8 text; save it as UTF-8"),
    ],
)
def test_a_file_that_cannot_be_read_is_told(tmp_path: Path, make: Any, message: str) -> None:
    make(tmp_path / "galloper.toml")
    with pytest.raises(ConfigError, match=message):
        settings_of(tmp_path, {})


@pytest.mark.parametrize(("text", "good"), [
    ("ada@example.org", True), ("Ada Byron <ada@example.org>", False), ("ada", False),
    ("@example.org", False),
    ("ada@", False), ("", False), ("ada @example.org", False),
])  # fmt: skip
def test_a_bare_address(text: str, good: bool) -> None:
    assert is_address(text) is good
