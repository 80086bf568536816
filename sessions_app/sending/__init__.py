"""Messages from session to session, and what follows of them."""
