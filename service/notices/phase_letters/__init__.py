"""The letters of a judged phase: `approval` draws and sends them as a job, `requests` shows what each power
is asked for."""
