"""Tools of push servers: listed, offered to runs, called; signing in to servers."""
