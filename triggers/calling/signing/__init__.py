"""OAuth with a push server that wants its owner signed in: found, registered, asked, exchanged, renewed."""
