"""The web: the coordinator's desk and the public pages."""
