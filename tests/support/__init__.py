"""Shared stand-ins and servers for the service's tests."""
