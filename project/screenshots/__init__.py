"""Pictures of every page, from a hub that is made for them and thrown away."""
