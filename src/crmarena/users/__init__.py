"""The simulated users of the multi-turn form."""
