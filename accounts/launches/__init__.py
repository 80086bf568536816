"""Launches: what their launchers tell of them, and the credential that proves one."""
