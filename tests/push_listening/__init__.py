"""Tests of listening to push servers."""
