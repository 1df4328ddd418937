"""Agents that act on an episode, and the baselines."""
