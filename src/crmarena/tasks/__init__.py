"""Task instances, the families they belong to, and how they are made."""
