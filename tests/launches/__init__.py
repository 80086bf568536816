"""Launches: registration, beats, ends, the credential, and the launcher's line."""
