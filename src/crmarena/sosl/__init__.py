"""SOSL: full-text search over the searchable fields."""
