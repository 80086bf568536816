"""Benchmarks: plain commands, each figure beside its floor in the same run. docs/performance.md holds the results."""
