"""SOQL: text to tree to SQL to records."""
