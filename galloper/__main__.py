"""`python -m galloper`: the command line, as the installed program `galloper`."""

from __future__ import annotations

from service.cli.main import main

main()
