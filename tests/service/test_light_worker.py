"""A process that takes in and sends, and reads nothing, loads neither networks nor a web server."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from service.site_folder import settings_of
from service.store.engine import migrate
from tests.support.own_site import SETTINGS

PROGRAM = """
import sys
import service.bootstrap, service.mail.mailbox.imap
print([name for name in ("cv2", "onnxruntime", "rapidocr", "fastapi", "weasyprint") if name in sys.modules])
"""


def test_what_is_heavy_loads_where_it_is_used() -> None:
    """None of the heavy modules is imported by a worker that reads nothing."""
    completed_process = subprocess.run(
        [sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True, timeout=120
    )
    # The limit of 200 MB while mail is taken in leaves no room for it (`galloper bench storm --part
    # rate`): 126 MB after the imports instead of 184.
    assert completed_process.stdout.strip() == "[]"


LISTING = """
import io, sys
from pathlib import Path
from service.cli.users import list_users
list_users(Path(sys.argv[1]), io.StringIO())
print([name for name in ("alembic", "dbos", "fastapi", "lark", "maps", "numpy", "service.record.chain")
       if name in sys.modules])
"""


def test_a_list_of_people_loads_the_database_and_no_more(tmp_path: Path) -> None:
    """SCA-11: `galloper user list` loaded grammar, boards and web server: 1.8 processor seconds in
    place of 1.0."""
    (tmp_path / "galloper.toml").write_text(SETTINGS)
    migrate(settings_of(tmp_path).database_url)
    completed_process = subprocess.run(
        [sys.executable, "-c", LISTING, str(tmp_path)], check=True, capture_output=True, text=True,
        timeout=120)
    assert completed_process.stdout.strip() == "[]"


@pytest.mark.parametrize(("operators", "threads"), [(None, "1"), ("3", "3")])
def test_numpys_algebra_keeps_to_one_thread_unless_the_operator_says_otherwise(
    operators: str | None, threads: str
) -> None:
    """INK-08. Its threads wait for work in a loop: a fifth more processor time a sheet."""
    environment = {key: value for key, value in os.environ.items() if key != "OPENBLAS_NUM_THREADS"}
    program = "import sys, service, os; print('numpy' in sys.modules, os.environ['OPENBLAS_NUM_THREADS'])"
    completed_process = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True, timeout=60,
        env=environment | ({} if operators is None else {"OPENBLAS_NUM_THREADS": operators}),
    )
    assert completed_process.stdout.split() == ["False", threads]
