"""From the globe to kilometres on a plane and back, on a sphere: enough for a map, not for gunnery."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

EARTH_KM = 6371.0
WIDE = 30.0
"""Degrees of longitude from which on a board is too wide for a transverse Mercator."""

Points = NDArray[np.float64]


class Projection(Protocol):
    """A way to lay the globe flat. Points are rows of longitude, latitude in degrees, or of kilometres east,
    north."""

    def forward(self, points: Points) -> Points:
        """Degrees to kilometres."""

    def inverse(self, points: Points) -> Points:
        """Kilometres to degrees."""


@dataclass(frozen=True, slots=True)
class TransverseMercator:
    """True to angles near one meridian; for the British Isles from 54 N 4 W."""

    lon: float = -4.0
    lat: float = 54.0

    def forward(self, points: Points) -> Points:
        east, north = np.radians(points[:, 0] - self.lon), np.radians(points[:, 1])
        return EARTH_KM * np.column_stack([
            # Snyder, Map Projections, a working manual (1987), equations 8-1 to 8-8 on the sphere.
            np.arctanh(np.cos(north) * np.sin(east)),
            np.arctan2(np.tan(north), np.cos(east)) - math.radians(self.lat),
        ])

    def inverse(self, points: Points) -> Points:
        east, north = points[:, 0] / EARTH_KM, points[:, 1] / EARTH_KM + math.radians(self.lat)
        return np.column_stack([
            self.lon + np.degrees(np.arctan2(np.sinh(east), np.cos(north))),
            np.degrees(np.arcsin(np.sin(north) / np.cosh(east))),
        ])


@dataclass(frozen=True, slots=True)
class EqualArea:
    """Lambert's azimuthal, true to areas; for Europe from 52 N 20 E."""

    lon: float = 20.0
    lat: float = 52.0

    def forward(self, points: Points) -> Points:
        east, north, origin = (
            np.radians(points[:, 0] - self.lon),
            np.radians(points[:, 1]),
            math.radians(self.lat),
        )
        # Snyder, equations 24-2 to 24-4; the point opposite the origin would divide by 0.
        away = 1 + math.sin(origin) * np.sin(north) + math.cos(origin) * np.cos(north) * np.cos(east)
        scale = np.sqrt(2 / np.maximum(away, 1e-9))
        return EARTH_KM * np.column_stack([
            scale * np.cos(north) * np.sin(east),
            scale * (math.cos(origin) * np.sin(north) - math.sin(origin) * np.cos(north) * np.cos(east)),
        ])

    def inverse(self, points: Points) -> Points:
        origin = math.radians(self.lat)
        x, y = points[:, 0] / EARTH_KM, points[:, 1] / EARTH_KM
        distance = np.maximum(np.hypot(x, y), 1e-12)
        arc = 2 * np.arcsin(np.clip(distance / 2, 0, 1))
        north = np.arcsin(np.cos(arc) * math.sin(origin) + y * np.sin(arc) * math.cos(origin) / distance)
        east = np.arctan2(
            x * np.sin(arc), distance * math.cos(origin) * np.cos(arc) - y * math.sin(origin) * np.sin(arc)
        )
        return np.column_stack([self.lon + np.degrees(east), np.degrees(north)])


def projection_for(west: float, east: float) -> Projection:
    """The projection for a board between two longitudes, by the geodata's advice: Europe equal in area, the
    islands true in shape."""
    return EqualArea() if east - west > WIDE else TransverseMercator()
