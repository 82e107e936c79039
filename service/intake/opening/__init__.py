"""Bytes of strangers, opened in a child process with limits."""
