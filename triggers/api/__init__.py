"""The REST doors of the push inbox."""
