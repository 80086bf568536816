"""The REST doors of the chat."""
