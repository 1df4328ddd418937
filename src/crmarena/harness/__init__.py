"""Runs of many episodes on Inspect AI."""
