"""A chat as a file: one JSON object a line, a header first; written and read at the owner's explicit word at a shell.

Beside the database and its backups this is the only place a message leaves the hub by the hand of an operator: no other
export holds one.
"""
