"""Announcements and routes."""
