"""The trail: all push messages that are kept, up to the cap; oldest go first."""
