"""One module for each generated family."""
