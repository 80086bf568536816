"""The page Rules and its forms."""
