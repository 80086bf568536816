"""Runs executed by the hub itself, which asks a model at an OpenAI-compatible address."""
