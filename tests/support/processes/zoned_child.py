"""`galloper serve` on a machine whose time zone a test may set while it runs.

    python -m tests.support.processes.zoned_child FOLDER ZONE

ZONE is a file with the name of a zone. What is in force is written beside it, as "+0100".
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from threading import Thread

from service.cli.serve import run_site


def main() -> None:
    folder, zone = Path(sys.argv[1]), Path(sys.argv[2])

    def follow() -> None:
        while True:
            os.environ["TZ"] = zone.read_text().strip()
            time.tzset()
            in_force = zone.with_suffix(".half")
            in_force.write_text(time.strftime("%z"))
            in_force.replace(zone.with_suffix(".in_force"))
            time.sleep(0.2)

    Thread(target=follow, daemon=True).start()
    raise SystemExit(run_site(folder))


if __name__ == "__main__":
    main()
