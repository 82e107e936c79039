"""A certificate for localhost that no program trusts by default."""

from __future__ import annotations

import subprocess
from pathlib import Path

_ASK = (
    "openssl",
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-days",
    "30",
    "-subj",
    "/CN=localhost",
    "-addext",
    "subjectAltName=DNS:localhost,IP:127.0.0.1",
)


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """Certificate and key, as files in `folder`; those that are there stay."""
    certificate, key = folder / "cert.pem", folder / "key.pem"
    if not certificate.exists():
        subprocess.run(  # noqa: S603 our own command
            [*_ASK, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True
        )
    return certificate, key
