"""One task, one org session, one user: the only way an agent works."""
