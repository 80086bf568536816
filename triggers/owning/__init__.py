"""The owner's pages of his inbox and its firings."""
