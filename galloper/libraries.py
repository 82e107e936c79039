"""Libraries that are imported on first use, and the sentence if one is missing.

The judge needs the standard library only. Whatever needs more is imported inside `needed_for`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from galloper.errors import MissingLibraryError

_PACKAGES = {"cv2": "opencv-python-headless", "PIL": "pillow", "pillow_heif": "pillow-heif"}
"""Import names that are not the name of their package."""
_OUR_OWN = frozenset({"grammar", "ocr", "reading", "service", "templates"})


@contextmanager
def needed_for(purpose: str) -> Iterator[None]:
    """Turn a failed import inside the block into one sentence. `purpose` begins it: "Drawing a map"."""
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        # A person carried the judge alone into a program, which is allowed (docs/api.md).
        if missing in _OUR_OWN:
            text = (f"{purpose} needs all of Galloper, and its part {missing!r} is not here; "
                    f"pip install galloper.")
        else:
            package = _PACKAGES.get(missing, missing)
            text = (f"{purpose} needs the package {package}, which is not installed; pip install galloper "
                    f"installs everything, pip install {package} only this package.")
        raise MissingLibraryError(text, name=error.name) from error
    except OSError as error:
        # WeasyPrint loads Pango when it is imported, and states it in several lines.
        reason = str(error).partition("\n")[0]
        raise MissingLibraryError(
            f"{purpose} needs a system library that cannot be loaded ({reason}); on Debian, "
            f"apt-get install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0.") from error
