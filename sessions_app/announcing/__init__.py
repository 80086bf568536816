"""Announcements and the routes they take."""
