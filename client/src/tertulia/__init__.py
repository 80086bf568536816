"""What runs beside the agents of a Tertulia hub."""

__version__ = "0.1.0"
