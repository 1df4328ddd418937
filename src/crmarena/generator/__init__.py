"""Org data made from one seed."""
