"""What every page shares: server, sessions, roles, error pages."""
