"""JSON Schemas (draft 2020-12) of our models, such as that of the settings, which `galloper init` writes
next to them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from service.config import Settings

SETTINGS_SCHEMA_FILE = "galloper.schema.json"
"""The file that the first line of `templates/site/galloper.toml` names."""
DIALECT = "https://json-schema.org/draft/2020-12/schema"
SETTINGS = "A site's settings, `galloper.toml`."


def of_model(model: type[BaseModel]) -> dict[str, Any]:
    """The schema of a model, with the texts of its fields."""
    schema = model.model_json_schema()
    # A class's text is for programmers; its settings have their own.
    for table in (schema, *schema.get("$defs", {}).values()):
        table.pop("description", None)
        for field in table.get("properties", {}).values():
            field.pop("title", None)
            if "description" in field:
                field["description"] = " ".join(field["description"].split())
    return schema


def with_heading(name: str, sentence: str, schema: dict[str, Any]) -> dict[str, Any]:
    """A schema with its heading: its dialect, its name, and a sentence that describes it."""
    heading = {
        "$schema": DIALECT,
        "$id": f"urn:galloper:schema:{name}",
        "title": f"Galloper: {name}",
        "description": sentence.replace("`", ""),
    }
    return heading | {key: value for key, value in schema.items() if key not in heading}


def settings() -> dict[str, Any]:
    """The schema of a site's settings, without a heading."""
    return of_model(Settings)


def write_settings_schema(folder: Path) -> Path:
    """Write the schema of the settings next to them, for editors; its path. An older one is replaced."""
    path = folder / SETTINGS_SCHEMA_FILE
    path.write_text(text_of(with_heading("settings", SETTINGS, settings())) + "\n", encoding="utf-8")
    return path


def text_of(schema: dict[str, Any]) -> str:
    """A schema as JSON."""
    return json.dumps(schema, indent=2, ensure_ascii=False)
