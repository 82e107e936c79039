"""What every table uses: its parent class, and the type of an instant."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, ClassVar

from sqlalchemy import JSON, DateTime, TypeDecorator
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase


class Instant(TypeDecorator[datetime]):
    """An aware UTC datetime. Raises ValueError for a naive one."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"an instant without a zone cannot be stored: {value!r}")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        # SQLite forgets the zone.
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class TableBase(DeclarativeBase):
    """Parent of every table."""

    type_annotation_map: ClassVar[dict[Any, Any]] = {datetime: Instant, dict[str, Any]: JSON, list[Any]: JSON}
