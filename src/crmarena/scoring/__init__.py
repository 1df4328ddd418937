"""From an answer in prose to a score, and from scores to a table."""
