def main() -> None:
    raise SystemExit("galloper: not yet")
