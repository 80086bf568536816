"""Runs: begun, taken, ended, never lost."""
