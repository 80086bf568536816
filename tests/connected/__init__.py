"""Connected sessions."""
