"""One module for each arrow from the plan to records."""
