"""The owner's proof: by password, and by his word in a browser."""
