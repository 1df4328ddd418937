"""One task, one org session and one user: the only way to drive an agent."""
