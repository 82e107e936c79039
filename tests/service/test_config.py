"""The settings: one TOML file, the environment over it, and a sentence for whatever is wrong with either."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from service.config import ConfigError, Settings, read_settings

WHOLE = """
data = "/srv/galloper"
order_address = "orders@example.org"
coordinator = "ada@example.org"
[mail_in]
host = "imap.example.org"
user = "orders"
password = "in the file"
[mail_out]
host = "smtp.example.org"
sender = "Galloper <orders@example.org>"
"""


def _written(folder: Path, text: str = WHOLE) -> Path:
    path = folder / "galloper.toml"
    path.write_text(text, encoding="utf-8")
    return path


def _read(folder: Path, text: str = WHOLE, environment: dict[str, str] | None = None) -> Settings:
    return read_settings(_written(folder, text), environment or {})


def _refused(folder: Path, text: str = WHOLE, environment: dict[str, str] | None = None) -> str:
    with pytest.raises(ConfigError) as caught:
        _read(folder, text, environment)
    return str(caught.value)


def test_what_is_not_set_has_its_default(tmp_path: Path) -> None:
    settings = _read(tmp_path)
    assert settings.mail_in.host == "imap.example.org"
    assert (settings.mail_in.port, settings.mail_in.tls, settings.mail_in.folder) == (993, True, "INBOX")
    assert (settings.web.host, settings.web.secure_cookies) == ("127.0.0.1", True)
    assert settings.database_url == "sqlite:////srv/galloper/galloper.sqlite"


def test_another_database_is_used_as_it_is_named(tmp_path: Path) -> None:
    settings = _read(tmp_path, 'database = "postgresql://galloper@db/galloper"\n' + WHOLE)
    assert settings.database_url == "postgresql://galloper@db/galloper"


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ('data = "/srv/galloper"\n', "data"),
        ('order_address = "orders@example.org"\n', "order_address"),
        ('coordinator = "ada@example.org"\n', "coordinator"),
        ('sender = "Galloper <orders@example.org>"\n', "mail_out.sender"),
    ],
)
def test_a_missing_key_is_named_with_its_file(tmp_path: Path, line: str, named: str) -> None:
    message = _refused(tmp_path, WHOLE.replace(line, ""))
    assert str(tmp_path / "galloper.toml") in message
    assert f"{named}: is missing" in message


def test_an_unknown_key_is_named(tmp_path: Path) -> None:
    assert "mail_in.hots" in _refused(tmp_path, WHOLE.replace('host = "imap', 'hots = "imap'))
    assert "coordnator" in _refused(tmp_path, 'coordnator = "x"\n' + WHOLE)


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    message = _refused(
        tmp_path,
        WHOLE.replace('data = "/srv/galloper"\n', "").replace("[mail_out]", '[mail_out]\nport = "x"'),
    )
    assert "data: is missing" in message
    assert "mail_out.port" in message


@pytest.mark.parametrize(
    ("addition", "named"),
    [
        ("[reader]\nauto_accept_confidence = 1.5\n", "reader.auto_accept_confidence"),
        ("[reader]\nmin_margin_letters = -0.1\n", "reader.min_margin_letters"),
        ('[web]\nport = "eight"\n', "web.port"),
    ],
)
def test_a_value_out_of_range_is_named(tmp_path: Path, addition: str, named: str) -> None:
    assert named in _refused(tmp_path, WHOLE + addition)


def test_a_kind_of_mailbox_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert "mail_in.kind" in _refused(tmp_path, WHOLE.replace("[mail_in]", '[mail_in]\nkind = "pop3"'))


def test_bad_toml_is_told_with_its_line(tmp_path: Path) -> None:
    message = _refused(tmp_path, WHOLE.replace('coordinator = "ada@example.org"', "coordinator = ada"))
    assert "line 4" in message
    assert "text between quotes" in message
    assert "Invalid value" not in message


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"[web]\nport = 1\nport = 2\n", "is already above"),
        (b"[web]\n[web]\n", "is already above"),
        (b'site = "London', "at its end"),
        (b'site = "\xe9t\xe9"\n', "UTF-8"),
    ],
)
def test_a_file_that_is_no_toml_gets_a_sentence_of_ours(tmp_path: Path, content: bytes, words: str) -> None:
    """INS-05: the parser's own words are for programmers, and a line with a secret is not quoted."""
    path = tmp_path / "galloper.toml"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=words):
        read_settings(path, {})


def test_a_file_that_is_not_there_is_answered_with_how_to_write_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"galloper init"):
        read_settings(tmp_path / "galloper.toml", {})


def test_the_environment_is_laid_over_the_file(tmp_path: Path) -> None:
    settings = _read(tmp_path, environment={
        "GALLOPER_DATA": "/elsewhere",
        "GALLOPER_MAIL_IN__HOST": "other.example.org",
        "GALLOPER_WEB__PORT": "9000",
        "PATH": "/bin",
    })
    assert settings.data == "/elsewhere"
    assert settings.mail_in.host == "other.example.org"
    assert settings.mail_in.user == "orders"
    assert settings.web.port == 9000


def test_a_secret_comes_from_the_file_that_the_environment_names(tmp_path: Path) -> None:
    secret = tmp_path / "password"
    secret.write_text("from a file of its own\n")
    settings = _read(tmp_path, environment={"GALLOPER_MAIL_IN__PASSWORD_FILE": str(secret)})
    assert settings.mail_in.password == "from a file of its own"


def test_a_secret_whose_file_is_missing_is_told_by_its_variable_and_not_left_empty(tmp_path: Path) -> None:
    message = _refused(tmp_path, environment={"GALLOPER_MAIL_OUT__PASSWORD_FILE": str(tmp_path / "nowhere")})
    assert "GALLOPER_MAIL_OUT__PASSWORD_FILE" in message
    assert "nowhere" in message


def test_a_variable_that_makes_a_table_of_a_single_value_is_named(tmp_path: Path) -> None:
    assert "GALLOPER_DATA__FOLDER" in _refused(tmp_path, environment={"GALLOPER_DATA__FOLDER": "x"})


def test_the_environment_of_the_process_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GALLOPER_COORDINATOR", "grace@example.org")
    assert read_settings(_written(tmp_path)).coordinator == "grace@example.org"


def test_a_table_that_is_a_single_value_is_named(tmp_path: Path) -> None:
    assert "reader: " in _refused(tmp_path, "reader = 1\n" + WHOLE)


def test_settings_do_not_change_once_read(tmp_path: Path) -> None:
    settings = _read(tmp_path)
    with pytest.raises(ValidationError):
        settings.mail_in.host = "other.example.org"
