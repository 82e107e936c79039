"""Commands by the noun that they are about: `galloper game`, `galloper map`, `galloper user`.

Each module has its application, which `service.cli.main` adds; `arguments` has what several commands take.
"""
