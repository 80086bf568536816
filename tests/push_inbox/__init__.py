"""The push inbox: routing, storing, listing, acknowledging, clearing, journals."""
