"""INS-08: the schema of the settings, against the settings that we write and against wrong ones."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from service.cli import main
from service.cli.model_schemas import settings as settings_schema
from service.config import ConfigError, read_settings
from tests.support.toml_text import toml_text

ROOT = Path(__file__).parents[3]


def test_the_settings_that_init_writes_fit_and_their_first_line_names_the_schema(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """INS-08: Taplo takes the schema of a TOML file from a first line `#:schema PATH`."""
    site = tmp_path / "site"
    monkeypatch.setattr("sys.argv", ["galloper", "init", str(site)])
    with pytest.raises(SystemExit) as ended:
        main.main()
    assert not ended.value.code
    text = (site / "galloper.toml").read_text("utf-8")
    named = site / text.splitlines()[0].removeprefix("#:schema ")
    written = json.loads(named.read_text("utf-8"))
    assert list(jsonschema_rs.Draft202012Validator(written).iter_errors(tomllib.loads(text))) == []
    described = {**written["properties"], **written["$defs"]["MailIn"]["properties"]}
    assert all(field.get("description") or "$ref" in field for field in described.values())


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("mail_in", "kind"), "pop3"),
        (("mail_in", "port"), "imaps"),
        (("reader", "auto_accept_confidence"), 1.5),
        (("web", "adress"), "x"),
        (("unrelated_mail_retention_days",), 7),
        (("order_address",), None),
    ],
)
def test_what_the_program_refuses_in_settings_their_schema_refuses(
    path: tuple[str, ...], value: Any, tmp_path: Path
) -> None:
    """INS-08. None takes the setting away."""
    settings = tomllib.loads((ROOT / "templates" / "site" / "galloper.toml").read_text("utf-8"))
    *parents, last = path
    table = settings
    for parent in parents:
        table = table.setdefault(parent, {})
    table[last] = value
    if value is None:
        del table[last]
    assert not jsonschema_rs.Draft202012Validator(settings_schema()).is_valid(settings)
    file = tmp_path / "galloper.toml"
    file.write_text(toml_text(settings), "utf-8")
    with pytest.raises(ConfigError):
        read_settings(file, {})
