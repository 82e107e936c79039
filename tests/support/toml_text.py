"""Documents as TOML, for files that a test makes."""

from __future__ import annotations

import json
from typing import Any


def toml_text(document: dict[str, Any]) -> str:
    """A document as TOML of single lines: JSON's texts, lists and numbers are TOML's too."""

    def written(value: Any) -> str:
        if isinstance(value, dict):
            return "{" + ", ".join(f'"{key}" = {written(each)}' for key, each in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(map(written, value)) + "]"
        return json.dumps(value)

    return "\n".join(f"{key} = {written(value)}" for key, value in document.items())
