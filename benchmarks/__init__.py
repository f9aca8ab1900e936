"""Measurements that take too long for tests, one command each: `python -m benchmarks.NAME`."""
