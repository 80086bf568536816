"""Sessions as their owner keeps them: opened by name, patched."""
