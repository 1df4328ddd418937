"""An org from a seed: company profile, latent plan, records, file."""

VERSION = 1
"""Raised when the same seed gives other records than before; the manifest names it."""
