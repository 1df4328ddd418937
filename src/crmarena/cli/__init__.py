"""The crmarena command."""
