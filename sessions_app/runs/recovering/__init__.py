"""Runs that nobody ends: lost by their worker, or taken by no agent."""
