"""Handwriting fonts drawn as ink on paper."""
