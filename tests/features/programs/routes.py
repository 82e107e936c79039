"""The addresses of the feature, for tests that walk every route."""

from __future__ import annotations

MOUNTS = {"/api/v1": "a token of `web.api_tokens` opens it (`test_api.py`)"}

IN_ENGLISH = {"features/programs/api.py": "programs read English"}
