"""Runs executed by a program of this machine: a harness such as Claude Code or Codex, or anything that reads and writes text."""
