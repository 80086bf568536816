"""Telling harnesses of our hook: their own configuration files, changed by no more than our entries."""
