"""Shared drawing: shapes, fonts, SVG, PDF and PNG."""
