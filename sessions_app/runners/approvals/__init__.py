"""Tools outside a run's whitelist that wait for the owner's word."""
