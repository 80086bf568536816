"""The push inbox: storing, listing, acknowledging, clearing, journals."""
