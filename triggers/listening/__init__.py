"""Listening to push servers: transports, leases, the supervisor."""
