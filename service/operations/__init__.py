"""Is the site well: checks, numbers, alarms, clock, logs, and how long things are stored.

Door: `health.Health`, `alarms.Alarms`, `metrics.Metrics`, `clock_check.ClockSkewGuard`, `logs.set_up`,
`retention.forget_strays`. Parts: `findings` is what a check states, `health` the list of checks;
`mailbox_status` remembers the last answer of the mailbox. It imports neither the desk nor the web.
"""
