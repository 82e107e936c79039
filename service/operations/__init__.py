"""Is the site well: checks, metrics, alarms, retention, logs."""
