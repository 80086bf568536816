"""The floor beneath the database: the same three steps with Python's own sqlite3 and nothing else."""

import sqlite3
import time
from pathlib import Path


class RawPosts:
    """Counter, insert and commit in a file of its own, WAL and synchronous NORMAL as in the hub."""

    def __init__(self, folder: Path) -> None:
        self._db = sqlite3.connect(folder / "floor.sqlite3", isolation_level=None)
        self._db.executescript(
            """
            PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;
            CREATE TABLE IF NOT EXISTS counter (account_id INTEGER PRIMARY KEY, last_seq INTEGER NOT NULL);
            CREATE TABLE IF NOT EXISTS message (id INTEGER PRIMARY KEY, account_id INTEGER, seq INTEGER, topic TEXT, body TEXT,
                session_name TEXT, created_at TEXT, UNIQUE (account_id, seq));
            INSERT OR IGNORE INTO counter VALUES (1, 0);
            """
        )

    def post(self, body: str) -> None:
        """Store one message durably."""
        run = self._db.execute
        run("BEGIN IMMEDIATE")
        seq = run("UPDATE counter SET last_seq = last_seq + 1 WHERE account_id = 1 RETURNING last_seq").fetchone()[0]
        run(
            "INSERT INTO message (account_id, seq, topic, body, session_name, created_at) VALUES (?, ?, ?, ?, ?, ?)",
            (1, seq, "general", body, "bench", "2026-01-01 00:00:00"),
        )
        run("COMMIT")

    def timed(self, count: int, body: str) -> list[float]:
        """The seconds of each of `count` posts."""
        taken = []
        for _ in range(count):
            began = time.perf_counter()
            self.post(body)
            taken.append(time.perf_counter() - began)
        return taken
