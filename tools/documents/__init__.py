"""The documents as a site: pages from `docs/`, reference from the code, and checks of what was built."""
