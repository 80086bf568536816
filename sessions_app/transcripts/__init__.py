"""Transcripts: what was said in a session, numbered."""
