"""One SQLite file holding an org."""
