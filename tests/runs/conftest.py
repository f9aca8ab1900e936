"""The run with every kind of table."""

from tests.tables.conftest import made

__all__ = ["made"]
