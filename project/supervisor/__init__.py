"""What `manage.py up` runs: the hub's processes, kept alive together and stopped together."""
