"""`crmarena shell`: an org asked line by line."""
