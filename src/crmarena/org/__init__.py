"""An org as its users meet it: query, search, describe, import."""
