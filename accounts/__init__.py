"""Users, accounts, connections and the OAuth that makes them."""
